import { truncateToWidth } from '@earendil-works/pi-tui';
import type { ContextMeter, InteractiveActivity, InteractiveView } from '../interactive/index.ts';
import { printable } from '../text/printable.ts';
import { indented, type Room, seconds, spread, tokens } from './overlay.ts';
import type { Style, Theme } from './theme.ts';

/**
 * What is between the conversation and the input: what the agent is doing, todos, what waits and what runs.
 *
 * @example
 * panelLines({ view, now: Date.now(), isOpen: false, room });
 */
export function panelLines({
  view,
  now,
  isOpen,
  room,
}: {
  readonly view: InteractiveView;
  readonly now: number;
  /** Whether the output of background commands is shown. */
  readonly isOpen: boolean;
  readonly room: Room;
}): string[] {
  return [
    '',
    ...activityLine({ view, now, room }),
    ...todoLines({ view, room }),
    ...waitingLines({ view, isOpen, room }),
  ];
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** What the agent is doing, with the elapsed time; empty when it waits for the user. */
function activityLine({
  view: { status, questions },
  now,
  room: { width, theme },
}: {
  readonly view: Pick<InteractiveView, 'status' | 'questions'>;
  readonly now: number;
  readonly room: Pick<Room, 'width' | 'theme'>;
}): string[] {
  const { activity, job } = status;
  const elapsed = (since: number) => seconds(Math.max(0, Math.floor((now - since) / 1_000) * 1_000)).replace('.0', '');
  const spinner = theme.accent(frames[Math.floor(now / 100) % frames.length] ?? '');
  const line = (text: string, since: number) =>
    truncateToWidth(
      `${spinner} ${text} ${theme.faint(`${elapsed(since)} · Esc ${activity.kind === 'compacting' ? 'cancels' : 'stops'}`)}`,
      width,
      '…',
    );
  if (questions.length === 1) return [];
  if (questions.length > 1)
    return [truncateToWidth(theme.warn(`${questions.length} calls wait for your answer`), width, '…')];
  if (activity.kind !== 'idle') return [line(activityText(activity), activity.since)];
  if (job?.kind === 'compaction' && job.state === 'running') return [line('Compacting…', job.startedAt)];
  return [];
}

function activityText({ kind, text }: InteractiveActivity): string {
  const names = {
    idle: '',
    waiting: 'Waiting for the model',
    thinking: 'Thinking',
    answering: 'Writing',
    tool: 'Running',
    retrying: 'Retrying',
    compacting: 'Compacting',
    stopping: 'Stopping',
  };
  return `${names[kind]}${text === undefined || text === '' ? '' : ` ${text}`}…`;
}

/** Rows of todos, and lines of output of each background command. */
const most = { todos: 8, output: 6 };

/** The todos: those in progress first, finished ones counted. */
function todoLines({
  view: { todos },
  room: { width, theme },
}: {
  readonly view: Pick<InteractiveView, 'todos'>;
  readonly room: Pick<Room, 'width' | 'theme'>;
}): string[] {
  const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress');
  if (open.length === 0) return [];
  const done = todos.length - open.length;
  const shown =
    todos.length <= most.todos
      ? todos
      : open
          .toSorted((a, b) => Number(b.status === 'in_progress') - Number(a.status === 'in_progress'))
          .slice(0, most.todos);
  const marks = {
    pending: theme.faint('☐'),
    in_progress: theme.accent('▶'),
    completed: theme.good('☑'),
    failed: theme.bad('☒'),
    cancelled: theme.faint('☒'),
  };
  const lines = shown.map(({ text, status }) => {
    const style =
      status === 'in_progress'
        ? theme.bold
        : status === 'pending'
          ? (plain: string) => plain
          : (plain: string) => theme.faint(theme.strike(plain));
    return truncateToWidth(`  ${marks[status]} ${style(text.split('\n')[0] ?? '')}`, width, '…');
  });
  return [theme.faint(`  Todos ${done} of ${todos.length} done`), ...lines];
}

/** The messages that wait, and the commands in the background. */
function waitingLines({
  view: { queue, background },
  isOpen,
  room: { width, theme },
}: {
  readonly view: Pick<InteractiveView, 'queue' | 'background'>;
  /** Whether the output of background commands is shown. */
  readonly isOpen: boolean;
  readonly room: Pick<Room, 'width' | 'theme'>;
}): string[] {
  const queued = queue.map(({ text, how }) => {
    // The output of a command of the user waits for a message.
    const at = how === 'steered' ? 'at the next step' : 'when it has finished';
    const when = text.startsWith('! ') ? 'with your next message' : at;
    return truncateToWidth(theme.faint(`  ↳ ${when}: ${text.replaceAll('\n', ' ')}`), width, '…');
  });
  const running = background.filter(({ state }) => state === 'running');
  const commands = (isOpen ? background : running).flatMap(({ id, command, state, exit, output }) => {
    const end =
      state === 'running' ? theme.info('running') : exit === 0 ? theme.good('done') : theme.bad(`exit ${exit ?? '?'}`);
    const title = truncateToWidth(
      `  ${theme.info('⚙')} ${theme.faint(id)} ${command.replaceAll('\n', ' ')} · ${end}`,
      width,
      '…',
    );
    const tail = isOpen ? output.replace(/\n$/, '').split('\n').slice(-most.output) : [];
    return [
      title,
      ...tail
        .filter((line) => line !== '')
        .flatMap((line) =>
          indented({ text: theme.faint(line), first: theme.border('  │ '), rest: theme.border('  │ '), width }).slice(
            0,
            1,
          ),
        ),
    ];
  });
  const hint = !isOpen && running.length > 0 ? [theme.faint('    Ctrl-B shows the output')] : [];
  return [...queued, ...commands, ...hint];
}

/**
 * The window as a bar: used, up to the bound, free, and the reserve; a mark where a compaction is due.
 *
 * @example
 * meterBar({ meter, cells: 20, theme }); // '████▓····┃··░░'
 */
export function meterBar({
  meter: { used, bound, window, threshold, reserve },
  cells,
  theme,
}: {
  readonly meter: ContextMeter;
  readonly cells: number;
  readonly theme: Theme;
}): string {
  const cellOf = (amount: number) => Math.round((amount / Math.max(1, window)) * cells);
  const mark = Math.min(cells - 1, cellOf(threshold));
  const isDue = used >= threshold;
  let bar = '';
  for (let at = 0; at < cells; at += 1) {
    if (at === mark) bar += theme.warn('┃');
    else if (at < cellOf(used)) bar += isDue ? theme.bad('█') : theme.accent('█');
    else if (at < cellOf(bound)) bar += theme.faint('▓');
    else bar += at >= cells - cellOf(reserve) ? theme.border('░') : theme.border('·');
  }
  return bar;
}

/**
 * The line below the input: model, folder and branch at the left; meter, cache, cost and mode at the right.
 *
 * @example
 * statusLines({ view, room, home: '/home/ada', note: '' });
 */
export function statusLines({
  view: { status, session },
  room: { width, theme },
  home,
  note,
}: {
  readonly view: Pick<InteractiveView, 'status' | 'session'>;
  readonly room: Pick<Room, 'width' | 'theme'>;
  readonly home: string;
  /** Shown at the right in place of the name of the session. */
  readonly note: string;
}): string[] {
  const { context, cache, costUsd, job, mode } = status;
  const folder =
    status.cwd === home ? '~' : status.cwd.startsWith(`${home}/`) ? `~${status.cwd.slice(home.length)}` : status.cwd;
  const name = printable(folder);
  const place = name.length > 30 ? `…${name.slice(-29)}` : name;
  const model = theme.bold(status.model.split('/').at(-1) ?? status.model);
  const branch = status.branch === undefined ? '' : theme.info(` ⎇ ${printable(status.branch)}`);
  const shownMode = (modeStyle({ mode, theme }) ?? theme.faint)(`${mode} mode`);
  const percent = context ? Math.round((100 * context.used) / Math.max(1, context.window)) : 0;
  const meter = context
    ? `${meterBar({ meter: context, cells: width >= 100 ? 20 : 10, theme })} ${tokens(context.used)} of ${tokens(context.window)}${width >= 70 ? theme.faint(` (${percent} %)`) : ''}`
    : theme.faint('no request yet');
  const facts = [
    meter,
    cache && cache.prompt > 0 ? `${theme.faint('cache')} ${Math.round((100 * cache.read) / cache.prompt)} %` : '',
    costUsd === undefined ? '' : costUsd < 0.01 ? `$${costUsd.toFixed(4)}` : `$${costUsd.toFixed(2)}`,
    job?.kind === 'background' ? jobText({ job, theme }) : '',
  ].filter((fact) => fact !== '');
  const title = session.name === undefined ? '' : theme.faint(session.name);
  return [
    spread({ left: ` ${model}${theme.faint(' · ')}${place}${branch}`, right: note === '' ? title : note, width }),
    spread({ left: ` ${facts.join(theme.faint(' · '))}`, right: shownMode, width }),
  ];
}

/**
 * The color of a mode; `ask`, the usual one, has none.
 *
 * @example
 * modeStyle({ mode: 'read-only', theme });
 */
export function modeStyle({ mode, theme }: { readonly mode: string; readonly theme: Theme }): Style | undefined {
  const styles: Readonly<Record<string, Style>> = {
    'auto-edit': theme.accent,
    'read-only': theme.info,
    plan: theme.good,
    yes: theme.bad,
  };
  return styles[mode];
}

function jobText({
  job,
  theme,
}: {
  readonly job: NonNullable<InteractiveView['status']['job']>;
  readonly theme: Theme;
}): string {
  if (job.state === 'ready') return theme.good('summary ready');
  return job.state === 'failed' ? theme.warn('summary failed') : theme.faint('summarizing…');
}

/**
 * What the status line says at the right for a moment.
 *
 * @example
 * noteText({ note: 'Ctrl-C again: leave', images: 0, mode: '', theme });
 */
export function noteText({
  note,
  images,
  mode,
  theme,
}: {
  readonly note: string;
  readonly images: number;
  /** Of vim. */
  readonly mode: string;
  readonly theme: Theme;
}): string {
  const attached = images === 0 ? '' : `${images} ${images === 1 ? 'image' : 'images'} attached`;
  const text = [note, attached, mode].filter((part) => part !== '').join(' · ');
  return text === '' ? '' : theme.warn(text);
}

/**
 * The title of the terminal: what the session is about, and whether it works or waits.
 *
 * @example
 * titleText({ view, isWorking: true }); // '◐ Add a discount'
 */
export function titleText({
  view: { session, questions },
  isWorking,
}: {
  readonly view: Pick<InteractiveView, 'session' | 'questions'>;
  readonly isWorking: boolean;
}): string {
  const name = (session.name ?? session.title ?? 'longhaul').slice(0, 60).replace(/\p{Cc}/gu, ' ');
  return `${questions.length > 0 ? '? ' : isWorking ? '◐ ' : ''}${name}`;
}
