import type { Message, Origin } from '../../message/index.ts';
import type { Draft, Entry, EntryId, EpochEntry, UsageEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import type { TextFormat } from '../format.ts';
import { digestOf } from '../ids.ts';
import type { LogBuilder } from '../log-builder.ts';
import type { ParsedSession } from '../parsed-session.ts';
import { readRuns, type SessionRun } from '../session-runs.ts';
import { readTime } from '../time.ts';

type AiderInput = Parameters<TextFormat['read']>[0];

/**
 * The runs of a chat history, each a session. Speakers are recognized by how lines begin, and by nothing else. What the
 * program printed is kept as text of tools in the user's role: it holds results of commands, linters and tests that went
 * to the model together with lines that did not, and the format does not distinguish them.
 *
 * Text before the first heading belongs to a chat whose heading is gone. Where a person or the model speaks in it, it is
 * a session of its own; output of the program alone belongs to the chat that follows.
 *
 * @example
 * const reading = readAider({ lines, beginning, warnings });
 */
function readAider({ lines, beginning, warnings }: AiderInput): ParsedSession {
  const opening = openingOf(beginning);
  warnings.add({
    code: 'lossy-format',
    message:
      'aider tells who speaks only by how lines begin: a line of an answer that begins with "> " or "#### " was taken for output or for words of the user.',
  });
  return {
    format: 'aider',
    key: opening.key,
    header: headerOf(opening.time),
    entries: ({ createdAt }) => readRuns({ format: 'aider', runs: runsOf({ lines, opening }), createdAt, warnings }),
  };
}

interface ChatOpening {
  readonly key: string;
  /** Of the first heading; empty where there is none near. */
  readonly time: string;
  /** Whether the file begins with a chat without a heading. */
  readonly isHeadless: boolean;
}

/** So much of the text identifies a chat without a heading. */
const identifying = 4096;

function openingOf(beginning: string): ChatOpening {
  const heading = /^# aider chat started at (.+?)\s*$/m.exec(beginning);
  const time = heading?.[1] ?? '';
  const before = beginning.slice(0, heading?.index).split(/\r?\n/).map(readLine);
  const isHeadless = !heading || before.some((line) => line.kind === 'text' && line.speaker !== 'program');
  if (!isHeadless) return { key: time, time, isHeadless };
  return { key: heading ? `before ${time}` : `text ${digestOf(beginning.slice(0, identifying))}`, time, isHeadless };
}

function headerOf(time: string): SessionRun['header'] {
  const createdAt = readTime(time);
  return createdAt === undefined ? {} : { createdAt };
}

/** The runs of a file, each to be woven before the next is asked for. */
async function* runsOf({
  lines,
  opening,
}: {
  readonly lines: AiderInput['lines'];
  readonly opening: ChatOpening;
}): AsyncGenerator<SessionRun> {
  const source = lines[Symbol.asyncIterator]();
  const starts = new Map<string, number>();
  let next: string | undefined;
  try {
    const before: ChatLine[] = [];
    if (opening.isHeadless) yield { key: opening.key, header: headerOf(opening.time), build: weaveNext([]) };
    else for await (const line of run()) before.push(line);
    while (next !== undefined) {
      const time = next;
      next = undefined;
      const count = (starts.get(time) ?? 0) + 1;
      starts.set(time, count);
      yield {
        key: count === 1 ? time : `${time} (${count})`,
        header: headerOf(time),
        build: weaveNext(before.splice(0)),
      };
    }
  } finally {
    await source.return?.();
  }

  function weaveNext(first: readonly ChatLine[]): SessionRun['build'] {
    return ({ builder, createdAt }) =>
      buildRun({ lines: after(first), builder, at: createdAt, mayGrow: () => next === undefined });
  }

  async function* after(first: readonly ChatLine[]): AsyncGenerator<ChatLine> {
    yield* first;
    yield* run();
  }

  /** The lines up to the heading of the next run. */
  async function* run(): AsyncGenerator<ChatLine> {
    for (;;) {
      const { done, value } = await source.next();
      if (done) return;
      const line = readLine(value.text);
      if (line.kind === 'start') {
        next = line.time;
        return;
      }
      yield line;
    }
  }
}

async function* buildRun({
  lines,
  builder,
  at,
  mayGrow,
}: {
  readonly lines: AsyncIterable<ChatLine>;
  readonly builder: LogBuilder;
  readonly at: number;
  /** Asked at the end: whether a later line of the file may still belong to this run. */
  readonly mayGrow: () => boolean;
}): AsyncGenerator<Entry> {
  const speeches = createSpeakerTexts();
  let before: ChatLine = { kind: 'blank' };
  let answer: EntryId | undefined;
  for await (const line of lines) {
    if (isClearing({ line, before })) {
      yield* put({ speech: speeches.end() });
      if (builder.items().length > 0) yield* builder.append({ draft: cleared, at });
    }
    yield* put({ speech: speeches.take(line) });
    const usage = line.kind === 'text' && line.speaker === 'program' ? readUsageLine(line.text) : undefined;
    if (usage) yield* builder.append({ draft: { ...usage, ...(answer && { target: answer }) }, at });
    before = line;
  }
  yield* put({ speech: speeches.end(), isUnfinished: mayGrow() });

  function* put(of: { readonly speech: SpeakerText | undefined; readonly isUnfinished?: boolean }): Generator<Entry> {
    const { speech, isUnfinished } = of;
    if (!speech) return;
    const details = isUnfinished ? { details: { unfinished: true } } : {};
    const entries = builder.append({ draft: { type: 'message', message: messageOf(speech), ...details }, at });
    if (speech.speaker === 'model') answer = entries.at(-1)?.id;
    yield* entries;
  }
}

function messageOf({ speaker, texts }: SpeakerText): Message {
  const parts = texts.map((text) => ({ type: 'text', origin: originOf({ speaker, text }), text }) as const);
  return { role: speaker === 'model' ? 'assistant' : 'user', parts };
}

function originOf({ speaker, text }: { readonly speaker: SpeakerText['speaker']; readonly text: string }): Origin {
  if (speaker === 'model') return 'model';
  if (speaker === 'program') return 'tool';
  // What a linter found is sent, and logged, as if the user had typed it.
  return text.startsWith('# Fix any errors below, if possible.') ? 'engine' : 'human';
}

/** After `/clear` and `/reset` the model is sent nothing of what was before. */
const cleared: Draft<EpochEntry> = { type: 'epoch', reason: 'clear', items: { list: [] }, codec: codecVersion };

function isClearing({ line, before }: { readonly line: ChatLine; readonly before: ChatLine }): boolean {
  if (line.kind !== 'text' || line.speaker !== 'human' || !/^\/(clear|reset)\s*$/.test(line.text)) return false;
  return before.kind !== 'text' || before.speaker !== 'human';
}

const amount = '([\\d.,]+[kM]?)';
const report = new RegExp(
  `^Tokens: ${amount} sent(?:, ${amount} cache write)?(?:, ${amount} cache hit)?, ${amount} received\\.`,
);

/**
 * What aider prints after an answer, as a usage note; `undefined` for any other line. Large numbers come rounded.
 *
 * @example
 * readUsageLine('Tokens: 11,336 sent, 1.4k received. Cost: $0.05 message, $0.05 session.');
 */
function readUsageLine(text: string): Draft<UsageEntry> | undefined {
  const found = report.exec(text);
  if (!found) return undefined;
  const [sent = 0, cacheWrite = 0, cacheRead = 0, output = 0] = found.slice(1).map(numberOf);
  // What is written to the cache is counted as sent as well.
  const usage = { input: Math.max(0, sent - cacheWrite), output, cacheRead, cacheWrite };
  return { type: 'usage', usage, details: { aider: text } };
}

function numberOf(written: string | undefined): number {
  if (written === undefined) return 0;
  const scale = written.endsWith('k') ? 1000 : written.endsWith('M') ? 1_000_000 : 1;
  return Math.round(Number.parseFloat(written.replaceAll(',', '')) * scale) || 0;
}

/** Who speaks in a block of lines: a person, the program (its screen and what it ran), or the model. */
type Speaker = 'human' | 'program' | 'model';

/** What one of them says until another does. A person and the program may say several things in a row. */
interface SpeakerText {
  readonly speaker: Speaker;
  readonly texts: readonly string[];
}

/** A line of a chat history. */
type ChatLine =
  | { readonly kind: 'start'; readonly time: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'text'; readonly speaker: Speaker; readonly text: string };

/** What the beginning of a line tells. Two blanks at its end are the line break of Markdown, not text. */
function readLine(text: string): ChatLine {
  const [, time] = /^# aider chat started at (.+)$/.exec(text.trimEnd()) ?? [];
  if (time !== undefined) return { kind: 'start', time };
  if (text.trim() === '') return { kind: 'blank' };
  const [, mark, rest = ''] = /^(####|>)(?: (.*))?$/s.exec(text) ?? [];
  if (mark === undefined) return { kind: 'text', speaker: 'model', text };
  return { kind: 'text', speaker: mark === '>' ? 'program' : 'human', text: rest.replace(/ {2}$/, '') };
}

/**
 * Puts lines together: `take` answers what has come to its end with a line, if anything has. A blank line is part of an
 * answer; between lines of a person or the program it parts one thing said from the next.
 *
 * @example
 * const speeches = createSpeeches();
 * for (const line of lines) use(speeches.take(readLine(line)));
 * use(speeches.end());
 */
function createSpeakerTexts(): {
  readonly take: (line: ChatLine) => SpeakerText | undefined;
  readonly end: () => SpeakerText | undefined;
} {
  let speaker: Speaker | undefined;
  let texts: string[][] = [];
  let isParted = false;
  return { take, end };

  function take(line: ChatLine): SpeakerText | undefined {
    if (line.kind === 'start') return end();
    if (line.kind === 'blank') {
      if (speaker === 'model') texts.at(-1)?.push('');
      isParted = true;
      return undefined;
    }
    const ended = line.speaker === speaker ? undefined : end();
    const isNew = speaker === undefined || (isParted && speaker !== 'model');
    speaker = line.speaker;
    isParted = false;
    if (isNew) texts.push([line.text]);
    else texts.at(-1)?.push(line.text);
    return ended;
  }

  function end(): SpeakerText | undefined {
    const said = texts.map((lines) => lines.join('\n').replace(/(?<!\n)\n+$/, ''));
    const ended = speaker && { speaker, texts: said };
    speaker = undefined;
    texts = [];
    return ended;
  }
}

/** The heading of a chat, or lines that aider prints; a history that was cut at its beginning may have no heading near. */
const marks = /^(?:# aider chat started at |> (?:Aider v\d|Tokens: [\d.,]+[kM]? sent, |Applied edit to \S))/m;

/** The chat history of aider (`.aider.chat.history.md`), to which it appends with every run. */
export const aider: TextFormat = {
  kind: 'text',
  name: 'aider',
  isText: (beginning) => marks.test(beginning),
  read: readAider,
};
