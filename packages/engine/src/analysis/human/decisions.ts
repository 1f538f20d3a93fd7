import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import { formatHandle } from '../../session/index.ts';
import { oneLine } from '../calls/brief.ts';
import { unitsOf } from '../pins/units.ts';
import type { Mask } from '../secrets/mask.ts';
import type { SourceItem } from '../source-item.ts';
import { outputsOf } from '../tool-outputs.ts';

/** Something that was decided or found out, in the words in which it was said. */
export interface Decision {
  readonly handle: string;
  readonly text: string;
  /** `tool`: an answer or refusal that came back through a tool, which nobody may quote as a person's words. */
  readonly by: 'human' | 'model' | 'tool';
  readonly kind: 'decision' | 'cause' | 'answer' | 'refusal';
  /** Whether the sentence gives its reason. */
  readonly hasReason: boolean;
}

const decided =
  /\b(?:decided (?:to|on|against|not)|let['’]?s (?:go with|use|keep|not)|we(?:['’]ll| will| should) (?:use|go with|keep|drop|skip|avoid)|going with|settled on|chose(?:n)?|opt(?:ed|ing) (?:for|to)|instead of|rather than|(?:best|right|simplest|cleanest) (?:approach|option|fix|solution))\b/i;
/** Wishes decide where a person has them; a model announces with the same words what it does next. */
const wished = /\b(?:let['’]?s|i(?:['’]d| would) (?:prefer|rather|like)|i want|we want|we need)\b/i;
const found =
  /\b(?:root cause|(?:the|real|actual) (?:problem|issue|bug|reason|cause|culprit) (?:is|was|here)(?! (?:fixed|resolved|solved|gone))|turns out|(?:this|that|it) (?:happens|happened|fails|failed|broke|breaks) because|caused by|which means)\b/i;
const reason =
  /\b(?:because|since|so that|due to|to avoid|otherwise|in order to|as it|given that|that['’]?s why|which means|therefore)\b/i;

/** Longer sentences are paragraphs; shorter ones say nothing alone. */
const length = { least: 25, most: 320 };

/**
 * Decisions with their reasons, causes that were found, answers to questions and refusals, by the words that announce
 * them; oldest first. Within `limit` those with a reason and the newest stay.
 *
 * @example
 * const decisions = decisionsIn({ items, limit: 20, mask });
 */
export function decisionsIn({
  items,
  limit,
  mask,
}: {
  readonly items: readonly SourceItem[];
  readonly limit: number;
  readonly mask: Mask;
}): Decision[] {
  const told = [...items.flatMap(spoken), ...answered(items)].toSorted((a, b) => entryOf(a) - entryOf(b));
  const seen = new Set<string>();
  const isNew = ({ text }: Decision) => !seen.has(text.toLowerCase()) && seen.add(text.toLowerCase());
  const all = told.toReversed().filter(isNew).toReversed();
  const order = all.map((one, index) => ({ one, worth: worthOf(one) + index / all.length }));
  const best = order.toSorted((a, b) => b.worth - a.worth).slice(0, Math.max(0, limit));
  const kept = new Set(best.map(({ one }) => one));
  return all.filter((one) => kept.has(one)).map((one) => ({ ...one, text: mask(one.text) }));
}

function spoken({ message, handle }: SourceItem): Decision[] {
  return message.parts.flatMap((part, index): Decision[] => {
    if (part.type !== 'text' || (part.origin !== 'human' && part.origin !== 'model')) return [];
    const by = part.origin;
    // A summary that a client put there tells again, in other words, what was said.
    if (by === 'model' && message.role !== 'assistant') return [];
    return unitsOf(part.text).flatMap(({ text, line }): Decision[] => {
      if (text.length < length.least || text.length > length.most || /[?？:：]\s*$/.test(text)) return [];
      const isDecided = decided.test(text) || (by === 'human' && wished.test(text));
      const kind = found.test(text) ? 'cause' : isDecided ? 'decision' : undefined;
      if (!kind) return [];
      const place = formatHandle({ entry: handle, part: index + 1, lines: { from: line, to: line } });
      return [{ handle: place, text, by, kind, hasReason: reason.test(text) }];
    });
  });
}

/** What came back through a tool: the answer to a question, or a no with its words. */
function answered(items: readonly SourceItem[]): Decision[] {
  return outputsOf({ items }).flatMap(({ call, outcome, text, item, part, name }): Decision[] => {
    const handle = formatHandle({ entry: item.handle, part });
    if (call?.kind === 'ask' && outcome.state === 'ok') {
      const asked = oneLine({ text: questionIn(call.args), length: 140 });
      const answer = oneLine({ text: answerIn(text), length: 160 });
      return [{ handle, text: `Asked “${asked}”: ${answer}`, by: 'tool', kind: 'answer', hasReason: false }];
    }
    if (outcome.state !== 'refused' || !call) return [];
    const words = /the user said:\s*([\s\S]{1,300})/.exec(text)?.[1]?.trim();
    if (words === undefined) return [];
    const what = oneLine({ text: call.shell?.command ?? call.changes[0]?.path ?? name, length: 100 });
    return [
      {
        handle,
        text: `Refused ${what}: ${oneLine({ text: words, length: 200 })}`,
        by: 'tool',
        kind: 'refusal',
        hasReason: true,
      },
    ];
  });
}

/** Codex wraps answers in JSON; their words are enough. */
function answerIn(text: string): string {
  const value = text.startsWith('{') ? parseJson(text) : undefined;
  const words = value === undefined ? [] : wordsIn({ value, depth: 6 });
  return words.length === 0 ? text : words.join(', ');
}

function wordsIn({ value, depth }: { readonly value: Json; readonly depth: number }): string[] {
  if (typeof value === 'string') return [value];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner: Json | undefined) =>
    inner === undefined ? [] : wordsIn({ value: inner, depth: depth - 1 }),
  );
}

/** The question itself, alone or in a list of questions. */
function questionIn({ question, questions }: JsonObject): string {
  if (typeof question === 'string') return question;
  const [first] = isArray(questions) ? questions.filter(isObject) : [];
  return typeof first?.question === 'string' ? first.question : '';
}

function worthOf({ by, kind, hasReason }: Decision): number {
  return (by === 'model' ? 0 : 2) + (kind === 'cause' ? 1 : 0) + (hasReason ? 1.5 : 0);
}

function entryOf({ handle }: Decision): number {
  return Number(/\d+/.exec(handle)?.[0] ?? 0);
}
