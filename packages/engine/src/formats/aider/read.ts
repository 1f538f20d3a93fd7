import type { Message, Origin } from '../../message/index.ts';
import { codecVersion, type Draft, type Entry, type EntryId, type EpochEntry } from '../../session/index.ts';
import { digestOf } from '../digest.ts';
import type { TextFormat } from '../format.ts';
import type { Weaver } from '../log-builder.ts';
import type { Reading } from '../reading.ts';
import { type Run, weaveRuns } from '../runs.ts';
import { readTime } from '../time.ts';
import { createSpeeches, type Line, readLine, type Speech } from './blocks.ts';
import { readUsageLine } from './usage.ts';

type Input = Parameters<TextFormat['read']>[0];

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
export function readAider({ lines, beginning, warnings }: Input): Reading {
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
    entries: ({ createdAt }) => weaveRuns({ format: 'aider', runs: runsOf({ lines, opening }), createdAt, warnings }),
  };
}

interface Opening {
  readonly key: string;
  /** Of the first heading; empty where there is none near. */
  readonly time: string;
  /** Whether the file begins with a chat without a heading. */
  readonly isHeadless: boolean;
}

/** So much of the text identifies a chat without a heading. */
const identifying = 4096;

function openingOf(beginning: string): Opening {
  const heading = /^# aider chat started at (.+?)\s*$/m.exec(beginning);
  const time = heading?.[1] ?? '';
  const before = beginning.slice(0, heading?.index).split(/\r?\n/).map(readLine);
  const isHeadless = !heading || before.some((line) => line.kind === 'said' && line.speaker !== 'program');
  if (!isHeadless) return { key: time, time, isHeadless };
  return { key: heading ? `before ${time}` : `text ${digestOf(beginning.slice(0, identifying))}`, time, isHeadless };
}

function headerOf(time: string): Run['header'] {
  const createdAt = readTime(time);
  return createdAt === undefined ? {} : { createdAt };
}

/** The runs of a file, each to be woven before the next is asked for. */
async function* runsOf({
  lines,
  opening,
}: {
  readonly lines: Input['lines'];
  readonly opening: Opening;
}): AsyncGenerator<Run> {
  const source = lines[Symbol.asyncIterator]();
  const starts = new Map<string, number>();
  let next: string | undefined;
  try {
    const before: Line[] = [];
    if (opening.isHeadless) yield { key: opening.key, header: headerOf(opening.time), weave: weaveNext([]) };
    else for await (const line of run()) before.push(line);
    while (next !== undefined) {
      const time = next;
      next = undefined;
      const count = (starts.get(time) ?? 0) + 1;
      starts.set(time, count);
      yield {
        key: count === 1 ? time : `${time} (${count})`,
        header: headerOf(time),
        weave: weaveNext(before.splice(0)),
      };
    }
  } finally {
    await source.return?.();
  }

  function weaveNext(first: readonly Line[]): Run['weave'] {
    return ({ weaver, createdAt }) =>
      weaveRun({ lines: after(first), weaver, at: createdAt, mayGrow: () => next === undefined });
  }

  async function* after(first: readonly Line[]): AsyncGenerator<Line> {
    yield* first;
    yield* run();
  }

  /** The lines up to the heading of the next run. */
  async function* run(): AsyncGenerator<Line> {
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

async function* weaveRun({
  lines,
  weaver,
  at,
  mayGrow,
}: {
  readonly lines: AsyncIterable<Line>;
  readonly weaver: Weaver;
  readonly at: number;
  /** Asked at the end: whether a later line of the file may still belong to this run. */
  readonly mayGrow: () => boolean;
}): AsyncGenerator<Entry> {
  const speeches = createSpeeches();
  let before: Line = { kind: 'blank' };
  let answer: EntryId | undefined;
  for await (const line of lines) {
    if (isClearing({ line, before })) {
      yield* put({ speech: speeches.end() });
      if (weaver.items().length > 0) yield* weaver.append({ draft: cleared, at });
    }
    yield* put({ speech: speeches.take(line) });
    const usage = line.kind === 'said' && line.speaker === 'program' ? readUsageLine(line.text) : undefined;
    if (usage) yield* weaver.append({ draft: { ...usage, ...(answer && { target: answer }) }, at });
    before = line;
  }
  yield* put({ speech: speeches.end(), isUnfinished: mayGrow() });

  function* put(of: { readonly speech: Speech | undefined; readonly isUnfinished?: boolean }): Generator<Entry> {
    const { speech, isUnfinished } = of;
    if (!speech) return;
    const details = isUnfinished ? { details: { unfinished: true } } : {};
    const entries = weaver.append({ draft: { type: 'message', message: messageOf(speech), ...details }, at });
    if (speech.speaker === 'model') answer = entries.at(-1)?.id;
    yield* entries;
  }
}

function messageOf({ speaker, texts }: Speech): Message {
  const parts = texts.map((text) => ({ type: 'text', origin: originOf({ speaker, text }), text }) as const);
  return { role: speaker === 'model' ? 'assistant' : 'user', parts };
}

function originOf({ speaker, text }: { readonly speaker: Speech['speaker']; readonly text: string }): Origin {
  if (speaker === 'model') return 'model';
  if (speaker === 'program') return 'tool';
  // What a linter found is sent, and logged, as if the user had typed it.
  return text.startsWith('# Fix any errors below, if possible.') ? 'engine' : 'human';
}

/** After `/clear` and `/reset` the model is sent nothing of what was before. */
const cleared: Draft<EpochEntry> = { type: 'epoch', reason: 'clear', items: { list: [] }, codec: codecVersion };

function isClearing({ line, before }: { readonly line: Line; readonly before: Line }): boolean {
  if (line.kind !== 'said' || line.speaker !== 'human' || !/^\/(clear|reset)\s*$/.test(line.text)) return false;
  return before.kind !== 'said' || before.speaker !== 'human';
}
