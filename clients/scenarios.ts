/** A way to use a client. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The number of notes to read for each prompt. Every prompt after the first is a new process. */
  readonly trails: readonly number[];
  /** The window that the gateway keeps, and that the provider enforces. */
  readonly window?: number;
  readonly hasDelegation?: true;
  /** Whether the provider reports more usage than there is, which makes clients compact by themselves. */
  readonly isUsageScaled?: true;
  /** The characters of text that the model writes with every call. */
  readonly prose?: number;
  /** The length of a note in lines. */
  readonly lines?: number;
  /** The fewest compactions by the gateway. */
  readonly compactions: number;
}

/** A short conversation whose requests are kept as a fixture. */
export const recording: Scenario = {
  name: 'recording',
  title: 'two prompts in two processes',
  trails: [4, 2],
  lines: 6,
  compactions: 0,
};

export const scenarios: readonly Scenario[] = [
  { name: 'plain', title: 'a short conversation, resumed once', trails: [6, 3], compactions: 0 },
  { name: 'long', title: '60 tool turns in a 48k window', trails: [60], window: 48_000, prose: 3_000, compactions: 3 },
  {
    name: 'resume',
    title: '30 and 20 tool turns in two processes, 48k',
    trails: [30, 20],
    window: 48_000,
    prose: 3_000,
    compactions: 2,
  },
  {
    name: 'sub-agents',
    title: 'a sub-agent inside a long conversation',
    trails: [36],
    window: 48_000,
    prose: 3_000,
    hasDelegation: true,
    compactions: 1,
  },
  {
    name: 'own-compaction',
    title: "the client's own compaction, provoked",
    trails: [30, 10],
    isUsageScaled: true,
    compactions: 0,
  },
];
