import type { CommandRun, FileFact, Frontier, FrontierTask, TaskStatus, TestRun } from './frontier.ts';

/** A part of the frontier in short lines, the newest first. */
export interface FrontierSection {
  readonly name: FrontierSectionName;
  readonly title: string;
  readonly lines: readonly string[];
}

export type FrontierSectionName =
  | 'active'
  | 'open'
  | 'failed'
  | 'abandoned'
  | 'done'
  | 'plan'
  | 'tests'
  | 'commands'
  | 'processes'
  | 'changed'
  | 'read';

/** Default maximum lines of a section. */
const defaultLimits: Readonly<Record<FrontierSectionName, number>> = {
  active: 10,
  open: 20,
  failed: 10,
  abandoned: 5,
  done: 15,
  plan: 1,
  tests: 6,
  commands: 8,
  processes: 10,
  changed: 100,
  read: 100,
};

/** The title of each part. */
export const frontierTitles: Readonly<Record<FrontierSectionName, string>> = {
  active: 'In the works',
  open: 'To do',
  failed: 'Failed or blocked',
  abandoned: 'Given up',
  done: 'Done',
  plan: 'Plan',
  tests: 'Tests and checks, as last seen',
  commands: 'Last commands',
  processes: 'Left running',
  changed: 'Files changed',
  read: 'Files read',
};

/**
 * The frontier as text: sections of short lines with handles, newest first, each bounded and followed by the number of
 * omitted lines. Empty sections are left out.
 *
 * @example
 * const frontier = advanceFrontier({ frontier: createFrontier(), items });
 * for (const { title, lines } of frontierLines({ frontier })) console.log([`${title}:`, ...lines].join('\n'));
 */
export function frontierLines({
  frontier,
  limits = {},
}: {
  readonly frontier: Frontier;
  /** Maximum lines by section, without the line that counts the rest. */
  readonly limits?: Partial<Record<FrontierSectionName, number>>;
}): FrontierSection[] {
  const { tasks, plan, tests, commands, processes, files, forgotten } = frontier;
  const changed = files
    .filter((file) => file.changed !== undefined)
    .toSorted((a, b) => (b.changed ?? 0) - (a.changed ?? 0));
  const read = files.filter((file) => file.changed === undefined).toSorted((a, b) => (b.read ?? 0) - (a.read ?? 0));
  const section = (name: FrontierSectionName, lines: readonly string[], unseen = 0): FrontierSection => {
    const limit = Math.max(0, limits[name] ?? defaultLimits[name]);
    const rest = Math.max(0, lines.length - limit) + unseen;
    const shown = lines.slice(0, limit);
    return { name, title: frontierTitles[name], lines: rest > 0 ? [...shown, `… and ${rest} more`] : shown };
  };
  const byStatus = (status: TaskStatus) => newest(tasks.filter((task) => task.status === status)).map(taskLine);
  return [
    section('active', byStatus('active')),
    section('open', inOrder(tasks.filter(({ status }) => status === 'open')).map(taskLine)),
    section('failed', byStatus('failed')),
    section('abandoned', byStatus('abandoned')),
    section('done', byStatus('done'), forgotten.tasks),
    section('plan', plan ? [`${plan.text} (${plan.state}, @${plan.handle})`] : []),
    section('tests', tests.toReversed().map(testLine)),
    section('commands', commands.toReversed().map(commandLine)),
    section(
      'processes',
      processes
        .toReversed()
        .map(({ id, command, handle }) => `${command} (${id}${id === `@${handle}` ? '' : `, @${handle}`})`),
    ),
    section('changed', changed.map(changedLine)),
    section(
      'read',
      read.map(({ path, read: handle }) => `${path} (@${handle})`),
      forgotten.files,
    ),
  ].filter(({ lines }) => lines.length > 0);
}

function newest(tasks: readonly FrontierTask[]): FrontierTask[] {
  return tasks.toSorted((a, b) => b.handle - a.handle);
}

/** Open tasks in their own order, list by list, the list last touched first. */
function inOrder(tasks: readonly FrontierTask[]): FrontierTask[] {
  const lists = [...new Set(tasks.map(({ list }) => list))].toReversed();
  return lists.flatMap((list) => tasks.filter((task) => task.list === list));
}

function taskLine({ text, list, handle }: FrontierTask): string {
  const where = list === 'todo' ? '' : list === 'agents' ? 'agent, ' : `${list.split('/').at(-1)}, `;
  return `${text} (${where}@${handle})`;
}

function testLine({ command, runner, result, passed, failed, skipped, handle }: TestRun): string {
  const counts = [
    failed !== undefined && failed > 0 ? `${failed} failed` : '',
    passed === undefined ? '' : `${passed} passed`,
    skipped !== undefined && skipped > 0 ? `${skipped} skipped` : '',
  ].filter((text) => text !== '');
  const detail = counts.length > 0 ? `: ${counts.join(', ')}` : '';
  return `${result}${detail} — ${command} (${runner}, @${handle})`;
}

function commandLine({ command, state, exit, handle }: CommandRun): string {
  const how = exit === undefined ? state : `exit ${exit}`;
  return `${how} — ${command} (@${handle})`;
}

function changedLine({ path, changed, isDeleted, hash }: FileFact): string {
  const facts = [isDeleted ? 'deleted' : '', `@${changed}`, hash === undefined ? '' : `sha256 ${hash}`];
  return `${path} (${facts.filter((fact) => fact !== '').join(', ')})`;
}
