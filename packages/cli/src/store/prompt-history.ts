import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

const fileName = 'prompts.jsonl';

/** More lines are dropped when the history is opened. */
const mostPrompts = 2_000;

/** Longer prompts are not kept: they are pastes. Characters. */
const longestPrompt = 16_384;

interface HistoryLine {
  readonly at: number;
  readonly session: string;
  readonly cwd: string;
  readonly text: string;
}

/** What the user typed, in all sessions of a store; oldest first. */
export interface PromptHistory {
  /** Prompts of this folder come last, since they are wanted first. */
  readonly prompts: readonly string[];
  add(input: { readonly text: string; readonly session: string }): Promise<void>;
}

/**
 * Opens the prompt history of a store: a file that only its user can read, in which prompts are kept as they were typed.
 * `longhaul delete` removes the prompts of a session.
 *
 * @example
 * const history = await openHistory({ io, dir });
 * await history.add({ text: 'Fix the test.', session: session.id });
 */
export async function openHistory({
  io,
  dir,
}: {
  readonly io: Pick<Io, 'lineFile' | 'now' | 'cwd' | 'platform'>;
  readonly dir: string;
}): Promise<PromptHistory> {
  const file = io.lineFile(pathOf(io).join(dir, fileName));
  const lines = await readLines(file);
  const prompts = [...lines.filter(({ cwd }) => cwd !== io.cwd), ...lines.filter(({ cwd }) => cwd === io.cwd)].map(
    ({ text }) => text,
  );
  if (lines.length > mostPrompts) await rewrite({ file, lines: lines.slice(-mostPrompts) });
  let saving: Promise<void> = Promise.resolve();
  return {
    prompts,
    async add({ text, session }) {
      if (text.trim() === '' || text.length > longestPrompt) return;
      if (prompts.at(-1) === text) return;
      prompts.push(text);
      const line = `${JSON.stringify({ at: io.now(), session, cwd: io.cwd, text } satisfies HistoryLine)}\n`;
      // A disk that refuses the history stops nothing.
      saving = saving.then(async () => await file.put({ at: await file.size(), text: line })).catch(() => undefined);
      await saving;
    },
  };
}

/**
 * Removes the prompts of deleted sessions.
 *
 * @example
 * await forgetPrompts({ io, dir, sessions: [id] });
 */
export async function forgetPrompts({
  io,
  dir,
  sessions,
}: {
  readonly io: Pick<Io, 'lineFile' | 'platform'>;
  readonly dir: string;
  readonly sessions: readonly string[];
}): Promise<void> {
  const file = io.lineFile(pathOf(io).join(dir, fileName));
  const lines = await readLines(file);
  const kept = lines.filter(({ session }) => !sessions.includes(session));
  if (kept.length < lines.length) await rewrite({ file, lines: kept });
}

type HistoryFile = ReturnType<Io['lineFile']>;

async function readLines(file: HistoryFile): Promise<HistoryLine[]> {
  const lines: HistoryLine[] = [];
  try {
    for await (const { text } of file.lines()) {
      const line = lineOf(text);
      if (line) lines.push(line);
    }
  } catch {
    // A history that cannot be read is empty.
  }
  return lines;
}

async function rewrite({
  file,
  lines,
}: {
  readonly file: HistoryFile;
  readonly lines: readonly HistoryLine[];
}): Promise<void> {
  await file.put({ at: 0, text: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
}

function lineOf(text: string): HistoryLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { at, session, cwd, text: typed } = value as Partial<HistoryLine>;
    if (typeof at !== 'number' || typeof session !== 'string' || typeof cwd !== 'string' || typeof typed !== 'string')
      return undefined;
    return { at, session, cwd, text: typed };
  } catch {
    return undefined;
  }
}
