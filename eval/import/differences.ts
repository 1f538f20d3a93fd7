import type { ImportFormat } from 'longhaul/formats';
import type { Brought, Measured } from './measure.ts';

/** Something that is not as the list says, or as the file does. */
export interface Difference {
  readonly format: ImportFormat;
  readonly what: Measure;
  /** By how much ours is more. */
  readonly by: number;
  /** Why the difference is intended; `undefined` if the reason is unknown. */
  readonly because: string | undefined;
}

/** What is compared, with what is found and what it should be. */
const measures = {
  messages: ({ counts, listed }) => [counts.messages, listed.counts.messages],
  'tool calls': ({ counts, listed }) => [counts.toolCalls, listed.counts.toolCalls],
  'tool results': ({ counts, listed }) => [counts.toolResults, listed.counts.toolResults],
  thinking: ({ counts, listed }) => [counts.thinking, listed.counts.thinking],
  images: ({ counts, listed }) => [counts.images, listed.counts.images],
  'human texts in the log': ({ texts }) => [texts.human.found, texts.human.sampled],
  'results in the log': ({ texts }) => [texts.results.found, texts.results.sampled],
  'texts of the log in the file': ({ texts }) => [texts.back.found, texts.back.sampled],
  'sessions with far more or less tokens': ({ counts, listed }) => [
    Math.abs(counts.tokens / listed.counts.tokens - 1) > farOff ? 1 : 0,
    0,
  ],
} as const satisfies Readonly<Record<string, (brought: Measured & Brought) => readonly [number, number]>>;

type Measure = keyof typeof measures;

/** By how much an estimate of tokens may differ from another. */
const farOff = 0.25;

/** Examined differences: the readers are right, and why. A difference of any other size is reported as unexplained. */
const explained: readonly Difference[] = [
  {
    format: 'codex',
    what: 'images',
    by: -1,
    because: 'a filter for secrets has spoilt its data, and a text says that it was there',
  },
  {
    format: 'copilot',
    what: 'sessions with far more or less tokens',
    by: 2,
    because:
      'the system prompt was taken out of these copies; with the length that the note in its place names, it is all there',
  },
  {
    format: 'opencode',
    what: 'messages',
    by: -3,
    because: 'the list counts a prompt with two attached texts as three, and a summary, which is in its compaction',
  },
  { format: 'opencode', what: 'thinking', by: -1, because: 'it is the thinking behind that summary' },
  {
    format: 'openhands',
    what: 'messages',
    by: 1,
    because: 'the program looked up knowledge by itself: no call of the model, but its own text to the model',
  },
  { format: 'openhands', what: 'tool calls', by: -1, because: 'the same lookup' },
  { format: 'openhands', what: 'tool results', by: -1, because: 'the same lookup' },
  {
    format: 'pi',
    what: 'texts of the log in the file',
    by: -2,
    because: 'commands that a person ran stand in the log as pi tells the model of them',
  },
  { format: 'tau-bench', what: 'tool results', by: 12, because: 'a tool that returned nothing has returned' },
];

/** All differences, format by format. */
export function differencesIn(measured: readonly Measured[]): Difference[] {
  const brought = measured.filter((one) => one.failure === undefined);
  return [...Map.groupBy(brought, ({ listed }) => listed.format)].flatMap(([format, sessions]) =>
    (Object.keys(measures) as Measure[]).flatMap((what) => {
      const by = sessions.map(measures[what]).reduce((sum, [found, wanted]) => sum + found - wanted, 0);
      const known = explained.find((one) => one.format === format && one.what === what && one.by === by);
      return by === 0 ? [] : [{ format, what, by, because: known?.because }];
    }),
  );
}
