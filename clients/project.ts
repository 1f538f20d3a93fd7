import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A scratch project: trails of notes, each of which names the next. */
export interface Project {
  readonly folder: string;
  /** One prompt for each trail. */
  readonly prompts: readonly string[];
  readonly watchword: string;
}

/**
 * Writes the project. A model that sees only the newest note knows what to do next; at the end of a trail it has to report
 * facts from the first prompt, from an early note and from the last one.
 *
 * @example
 * const { prompts } = makeProject({ folder: '/tmp/scratch', trails: [60, 4], hasDelegation: false });
 */
export function makeProject({
  folder,
  trails,
  hasDelegation,
  lines = 48,
}: {
  readonly folder: string;
  /** The number of notes of each trail. */
  readonly trails: readonly number[];
  /** Whether a note asks for a sub-agent. */
  readonly hasDelegation: boolean;
  /** The length of a note. */
  readonly lines?: number;
}): Project {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [trail, notes] of trails.entries())
    for (let at = 1; at <= notes; at++)
      writeFileSync(join(folder, nameOf({ trail, at })), note({ folder, trail, at, notes, hasDelegation, lines }));
  writeFileSync(join(folder, 'aside.md'), '# Aside\nThe code of station 900 is 0a0b0c0d.\n');
  writeFileSync(join(folder, 'README.md'), '# Scratch project\nNotes to read.\n');
  writeFileSync(join(folder, 'AGENTS.md'), 'Be brief.\n');
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], { cwd: folder });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'Notes');
  const watchword = `W-${digest('watchword')}`;
  return {
    folder,
    watchword,
    prompts: trails.map((_, trail) => {
      const start = `Follow the trail of notes, starting with ${join(folder, nameOf({ trail, at: 1 }))}`;
      return trail === 0
        ? `The watchword is ${watchword}. ${start}. When a note says that the trail ends, report.`
        : `Thank you. ${start}. Then report again.`;
    }),
  };
}

function note({
  folder,
  trail,
  at,
  notes,
  hasDelegation,
  lines,
}: {
  readonly folder: string;
  readonly trail: number;
  readonly at: number;
  readonly notes: number;
  readonly hasDelegation: boolean;
  readonly lines: number;
}): string {
  const station = trail * 100 + at;
  const filler = Array.from(
    { length: lines },
    (_, line) =>
      `- line ${line + 1} of note ${station}: ${digest(`${station}-${line}`)}${digest(`${line}-${station}`)} the quick brown fox jumps over the lazy dog`,
  );
  return [
    `# Note ${station}`,
    `The code of station ${station} is ${digest(`station ${station}`)}.`,
    ...filler,
    at === notes
      ? `End of the trail ${trail + 1} in ${folder}`
      : `Next: read ${join(folder, nameOf({ trail, at: at + 1 }))}`,
    ...(hasDelegation && at === 2 ? [`Delegate: ${join(folder, 'aside.md')}`] : []),
    '',
  ].join('\n');
}

function nameOf({ trail, at }: { readonly trail: number; readonly at: number }): string {
  return `trail-${trail + 1}-note-${String(at).padStart(2, '0')}.md`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
