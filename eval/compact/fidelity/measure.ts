import type { Summarizer } from 'longhaul/engine';
import { pathsIn } from './files.ts';
import type { CutHistory } from './history.ts';
import { isAnswered, isHard, type Probe } from './probe.ts';
import { sentIn, textsOf } from './sent.ts';
import { valuesIn } from './values.ts';

/** So many of so many. */
export interface Share {
  readonly found: number;
  readonly of: number;
}

/** What of a session is in so many tokens. */
export interface Fidelity {
  readonly budget: number;
  /** Of what would be sent. */
  readonly tokens: number;
  readonly tail: number;
  readonly all: Share;
  readonly hard: Share;
  /** The same of the last so many tokens. */
  readonly last: { readonly all: Share; readonly hard: Share };
  /** Answers in what is sent or in one, in two searches with the words of the question. */
  readonly recall: { readonly one: Share; readonly two: Share };
  /** Paths that tools were given to read and change. */
  readonly files: Share;
  /** What later calls were given and was first said before the cut. */
  readonly values: Share;
  readonly missed: readonly string[];
  readonly lost: readonly string[];
  /** Milliseconds of CPU time for a document, and tokens of the history it was made from. */
  readonly ms: number;
  readonly history: number;
}

export async function measure({
  history,
  probes,
  searched,
  budget,
  summarizer,
  count,
}: {
  readonly history: CutHistory;
  readonly probes: readonly Probe[];
  /** What searches for each probe gave. */
  readonly searched: ReadonlyMap<Probe, readonly string[]>;
  readonly budget: number;
  readonly summarizer: Summarizer;
  readonly count: (text: string) => number;
}): Promise<Fidelity> {
  const { items, laterCalls, root } = history;
  const whole = items.flatMap(({ message }) => textsOf(message)).join('\n');
  const { document, kept, ms } = await sentIn({ items, budget, summarizer, count });
  const tail = kept.join('\n');
  const sent = `${document}\n${tail}`;
  const last = lastTokens({ text: whole, budget, count });
  const answered = probes.filter((probe) => isAnswered({ probe, text: sent }));
  const reachable = (most: number) =>
    probes.filter((probe) => {
      const texts = [sent, ...(searched.get(probe)?.slice(0, most) ?? [])];
      return texts.some((text) => isAnswered({ probe, text }));
    });
  const later = [...new Set(laterCalls.flatMap(({ arguments: args }) => valuesIn(args).map(({ text }) => text)))];
  const known = later.filter((value) => holds({ text: whole, value }));
  const inContext = (value: string) =>
    formsOf({ path: value, root }).some((form) => holds({ text: sent, value: form }));
  const paths = pathsIn(items.map(({ message }) => message));
  return {
    budget,
    tokens: count(sent),
    tail: count(tail),
    ...shares({ probes, isFound: (probe) => answered.includes(probe) }),
    last: shares({ probes, isFound: (probe) => isAnswered({ probe, text: last }) }),
    recall: {
      one: { found: reachable(1).length, of: probes.length },
      two: { found: reachable(2).length, of: probes.length },
    },
    files: { found: paths.filter(inContext).length, of: paths.length },
    values: { found: known.filter(inContext).length, of: known.length },
    missed: probes.filter((probe) => !answered.includes(probe)).map(describe),
    lost: known.filter((value) => !inContext(value)),
    ms,
    history: count(whole),
  };
}

export function shares({
  probes,
  isFound,
}: {
  readonly probes: readonly Probe[];
  readonly isFound: (probe: Probe) => boolean;
}): { readonly all: Share; readonly hard: Share } {
  const of = (some: readonly Probe[]): Share => ({ found: some.filter(isFound).length, of: some.length });
  return { all: of(probes), hard: of(probes.filter(isHard)) };
}

/** The last lines that come to so many tokens, of the first of them the end. */
function lastTokens(of: { readonly text: string; readonly budget: number; readonly count: (text: string) => number }) {
  const lines = of.text.split('\n');
  let tokens = 0;
  let start = lines.length;
  let size = 0;
  while (start > 0 && tokens < of.budget) {
    start -= 1;
    size = of.count(`${lines[start]}\n`);
    tokens += size;
  }
  const first = lines[start] ?? '';
  const excess = size === 0 ? 0 : Math.max(0, tokens - of.budget) / size;
  return [first.slice(Math.ceil(first.length * excess)), ...lines.slice(start + 1)].join('\n');
}

/** Whether a text holds a value, a number not as part of a longer one. */
function holds({ text, value }: { readonly text: string; readonly value: string }): boolean {
  return /^\d+$/.test(value) ? new RegExp(`(?<!\\d)${value}(?!\\d)`).test(text) : text.includes(value);
}

/** A path in the folder of the project is as good from there, and as good as JSON writes it. */
function formsOf({ path, root }: { readonly path: string; readonly root: string | undefined }): string[] {
  const isInside = root !== undefined && path.startsWith(root) && /^[\\/]/.test(path.slice(root.length));
  const forms = isInside ? [path, path.slice(root.length + 1)] : [path];
  return forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]);
}

function describe(probe: Probe): string {
  return `${probe.id}${isHard(probe) ? ', hard' : ''}: ${probe.question} [${probe.accept.join(' / ')}]`;
}
