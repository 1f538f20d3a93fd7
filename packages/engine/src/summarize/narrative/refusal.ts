import { spoken } from '../../analysis/index.ts';
import { sentencesOf } from './sentences.ts';

const refusals =
  /^[^a-z]*(?:(?:i am|i'm) (?:very |so |really |truly )?(?:sorry|afraid)|sorry|my apologies|i apologi[sz]e|apologies|(?:unfortunately|regrettably),? i\b|(?:i|we)(?: am|'m| are)?(?: \w+ly)? (?:can't|cannot|can not|couldn't|could not|won't|will not|unable to|not able to|must decline|have to decline|need to decline|decline|refuse|do not feel|don't feel|am not (?:able|comfortable|allowed|permitted)|not (?:comfortable|allowed|permitted))|as an? (?:ai|large language|language) |(?:this|that|the|your) (?:request|content|conversation|material|prompt) (?:violates|goes against|cannot|can't|may not|appears to violate)|i must (?:refuse|decline)|no summary can be (?:given|written|provided)|(?:lo siento|je suis desole|desole|desculpe|mi dispiace|es tut mir leid|tut mir leid|entschuldigung))\b|^\W*(?:извините|простите|抱歉|对不起|很抱歉|申し訳|ごめんなさい|죄송)/u;

/** A longer text is more than a refusal. */
const maxLength = 4_000;

/** A longer text after an apology may be a summary. */
const maxRest = 300;

/**
 * Whether an answer declines to summarize: it apologizes or says that it cannot, and says little else.
 *
 * @example
 * isRefusal("I'm sorry, but I can't help with that."); // true
 */
export function isRefusal(text: string): boolean {
  if (text.length > maxLength) return false;
  const sentences = text
    .split('\n')
    .map((line) => line.replace(/^\s*#{1,6}\s.*$/, '').trim())
    .flatMap(sentencesOf);
  const declines = sentences.filter(isDeclining);
  if (declines.length === 0) return false;
  const rest = sentences.filter((sentence) => !declines.includes(sentence));
  const isFirst = sentences[0] === declines[0];
  return declines.length * 2 >= sentences.length || (isFirst && rest.join(' ').length <= maxRest);
}

/** Whether a sentence is part of a refusal. */
export function isDeclining(sentence: string): boolean {
  return refusals.test(spoken(sentence));
}
