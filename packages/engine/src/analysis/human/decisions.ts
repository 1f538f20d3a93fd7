import { isArray, isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import { formatHandle } from '../../session/index.ts';
import { oneLine } from '../calls/brief.ts';
import { unitsOf } from '../pins/units.ts';
import type { Mask } from '../secrets/mask.ts';
import type { SourceItem } from '../source-item.ts';
import { outputsOf } from '../tool-outputs.ts';

/** A decision or a finding, quoted verbatim. */
export interface StatedDecision {
  readonly handle: string;
  readonly text: string;
  /** `tool`: an answer or refusal returned by a tool, which must not be quoted as human words. */
  readonly by: 'human' | 'model' | 'tool';
  readonly kind: 'decision' | 'cause' | 'answer' | 'refusal';
  /** Whether the sentence gives its reason. */
  readonly hasReason: boolean;
}

const decided =
  /\b(?:decided (?:to|on|against|not)|let['’]?s (?:go with|use|keep|not)|we(?:['’]ll| will| should) (?:use|go with|keep|drop|skip|avoid)|going with|settled on|chose(?:n)?|opt(?:ed|ing) (?:for|to)|instead of|rather than|(?:best|right|simplest|cleanest) (?:approach|option|fix|solution))\b/i;
/** A human wish is a decision; a model uses the same words to announce its next step. */
const wished = /\b(?:let['’]?s|i(?:['’]d| would) (?:prefer|rather|like)|i want|we want|we need)\b/i;
const found =
  /\b(?:root cause|(?:the|real|actual) (?:problem|issue|bug|reason|cause|culprit) (?:is|was|here)(?! (?:fixed|resolved|solved|gone))|turns out|(?:this|that|it) (?:happens|happened|fails|failed|broke|breaks) because|caused by|which means)\b/i;
const reason =
  /\b(?:because|since|so that|due to|to avoid|otherwise|in order to|as it|given that|that['’]?s why|which means|therefore)\b/i;

/** Bounds of a sentence in characters; shorter ones are meaningless, longer ones are paragraphs. */
const length = { least: 25, most: 320 };

/**
 * Decisions with reasons, causes, answers to questions and refusals, recognized by their wording; oldest first. Over
 * `limit`, those with a reason and the newest are kept.
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
}): StatedDecision[] {
  const candidates = [...items.flatMap(spoken), ...answered(items)].toSorted((a, b) => entryOf(a) - entryOf(b));
  const seen = new Set<string>();
  const isNew = ({ text }: StatedDecision) => !seen.has(text.toLowerCase()) && seen.add(text.toLowerCase());
  const all = candidates.toReversed().filter(isNew).toReversed();
  const order = all.map((one, index) => ({ one, worth: worthOf(one) + index / all.length }));
  const best = order.toSorted((a, b) => b.worth - a.worth).slice(0, Math.max(0, limit));
  const kept = new Set(best.map(({ one }) => one));
  return all.filter((one) => kept.has(one)).map((one) => ({ ...one, text: mask(one.text) }));
}

function spoken({ message, handle }: SourceItem): StatedDecision[] {
  return message.parts.flatMap((part, index): StatedDecision[] => {
    if (part.type !== 'text' || (part.origin !== 'human' && part.origin !== 'model')) return [];
    const by = part.origin;
    // Model text with the user role is a summary inserted by a client.
    if (by === 'model' && message.role !== 'assistant') return [];
    return unitsOf(part.text).flatMap(({ text, line }): StatedDecision[] => {
      if (text.length < length.least || text.length > length.most || /[?？:：]\s*$/.test(text)) return [];
      const isDecided = decided.test(text) || (by === 'human' && wished.test(text));
      const kind = found.test(text) ? 'cause' : isDecided ? 'decision' : undefined;
      if (!kind) return [];
      const place = formatHandle({ entry: handle, part: index + 1, lines: { from: line, to: line } });
      return [{ handle: place, text, by, kind, hasReason: reason.test(text) }];
    });
  });
}

/** Answers to questions and refusals with a reason, as returned by tools. */
function answered(items: readonly SourceItem[]): StatedDecision[] {
  return outputsOf({ items }).flatMap(({ call, outcome, text, item, part, name }): StatedDecision[] => {
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

/** Codex wraps answers in JSON; only the strings matter. */
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

function worthOf({ by, kind, hasReason }: StatedDecision): number {
  return (by === 'model' ? 0 : 2) + (kind === 'cause' ? 1 : 0) + (hasReason ? 1.5 : 0);
}

function entryOf({ handle }: StatedDecision): number {
  return Number(/\d+/.exec(handle)?.[0] ?? 0);
}
