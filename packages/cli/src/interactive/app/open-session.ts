import type { Model } from 'longhaul/models';
import type { EntryId } from 'longhaul/session';
import type { SessionChoice } from '../../agent/choose-session.ts';
import type { RunEnded } from '../../agent/exit-code.ts';
import type { OpenAgent } from '../../agent/open-agent.ts';
import { type AgentSetup, startAgent } from '../../agent/start-agent.ts';
import type { ConsentQueue } from './consent-queue.ts';
import { readTranscriptPage } from './transcript.ts';
import type { InteractiveEvent } from './view.ts';
import { ViewState } from './view-state.ts';

/** Entries of the first page, and of each earlier one. */
export const pageSize = 200;

/** What follows from opening a session, and ends with it. */
export interface OpenedSession {
  readonly opened: OpenAgent;
  readonly state: ViewState;
  readonly wasNew: boolean;
  /** The entry before the first item; `null` at the beginning of the conversation. */
  before: EntryId | null;
  readonly ends: readonly (() => void)[];
  /** Records and announces a plan that a run proposed; returns why the run ended. */
  readonly settle: (end: RunEnded) => Promise<RunEnded['reason']>;
}

/**
 * Opens a session with its agent and reads the newest page of its conversation.
 *
 * @example
 * const current = await openOne({ setup, consent, emit, wanted: 'new', model });
 */
export async function openOne(of: {
  readonly setup: AgentSetup;
  readonly consent: ConsentQueue;
  readonly emit: (event: InteractiveEvent) => void;
  readonly wanted: SessionChoice;
  readonly fork?: boolean | undefined;
  readonly model: Model;
}): Promise<OpenedSession> {
  const { setup, consent, emit, wanted, fork, model } = of;
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const { permissions } = consent;
  let onNotes = (_: readonly { readonly text: string }[]): void => undefined;
  let state: ViewState | undefined;
  const opened = await startAgent({
    setup,
    wanted,
    model,
    permissions,
    permissionsIn: (cwd) => consent.permissionsIn(cwd),
    onWarning,
    onNotes: (entries) => onNotes(entries),
    fork,
    isPlanning: () => consent.mode === 'plan',
    onBackground: (event) => state?.takeBackground(event),
  });
  const { session } = opened.session;
  const view = new ViewState({ session: session.id, now: setup.io.now, emit });
  state = view;
  onNotes = (entries) =>
    view.notice({
      level: 'info',
      text: ['Notes of earlier sessions:', ...entries.map(({ text }) => text)].join('\n  '),
    });
  const page = await readTranscriptPage({ session, leaf: session.head.leaf, size: pageSize });
  view.transcript.prepend(page.items);
  view.restore(await session.read({ types: ['session_info'] }));
  const ends = [
    session.watch((entries) => {
      for (const entry of entries) view.takeEntry(entry);
    }),
    opened.agent.on((event, from) => view.takeEvent(event, from)),
  ];
  for (const text of warnings) view.notice({ level: 'warning', text });
  const settle: OpenedSession['settle'] = async ({ reason, text }) => {
    const { plans } = opened;
    if (reason === 'done') await plans.takeAnswer(text);
    if (consent.mode === 'plan' && plans.current()?.status === 'proposed')
      view.notice({ level: 'info', text: 'A plan was proposed. /plan shows it, /plan approve carries it out.' });
    return reason;
  };
  return { opened, state: view, wasNew: wanted === 'new', before: page.before, ends, settle };
}

/** Ends the agent. A session that was created here and has no message is removed. */
export async function closeOne({ opened, wasNew, ends }: OpenedSession, { store }: AgentSetup): Promise<void> {
  for (const end of ends) end();
  const isEmpty = wasNew && opened.session.context.items.length === 0;
  await opened.close();
  if (isEmpty) await store.delete(opened.session.id).catch(() => undefined);
}

/** The git branch of the folder, or the commit; `undefined` outside a repository. */
export async function branchOf({ io }: AgentSetup): Promise<string | undefined> {
  const { code, stdout } = await io.runCommand({
    command: 'git symbolic-ref --short -q HEAD || git rev-parse --short HEAD',
    cwd: io.cwd,
    env: { PATH: io.env.PATH ?? '', GIT_OPTIONAL_LOCKS: '0' },
    input: '',
    timeout: 2_000,
  });
  const name = stdout.trim();
  return code === 0 && name !== '' ? name : undefined;
}
