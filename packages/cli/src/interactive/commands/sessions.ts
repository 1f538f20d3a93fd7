import { openSession, type SessionSummary } from 'longhaul/session';
import { availableName } from '../../session/session-name.ts';
import { shortId } from '../../session/short-id.ts';
import { forgetPrompts } from '../../store/prompt-history.ts';
import { age } from '../../text/age.ts';
import { clip } from '../../text/clip.ts';
import { number } from '../../text/number.ts';
import type { CommandContext, SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, textResult } from '../app/result.ts';
import { readTranscriptPage } from '../app/transcript.ts';
import { programText, usageError } from './program.ts';

/** Sessions in the picker. */
const mostListed = 200;

/** Items of a session in its preview. */
const shownItems = 12;

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: 'sessions',
    aliases: ['resume'],
    hint: '[text]',
    help: 'Choose a session to resume; search by name, folder or first prompt',
    complete: async ({ app }) =>
      (await listed({ app, text: '' })).map(({ header, name, title }) => ({
        value: name ?? shortId({ id: header.id }),
        detail: clip({ text: title ?? '', length: 60 }),
      })),
    run: pickSession,
  },
  {
    name: 'session',
    hint: '[checkpoints [N] | rename NAME | export [FILE]]',
    help: 'Show this session, its compactions, or rename it',
    isLive: true,
    complete: () => [
      { value: 'checkpoints', detail: 'list the compactions in force' },
      { value: 'rename', detail: 'give it a name' },
      { value: 'export', detail: 'write it to a file' },
    ],
    run: showSession,
  },
  {
    name: 'new',
    aliases: ['clear'],
    help: 'Start a new session; this one stays in /sessions',
    run: async ({ app }) => {
      const { id } = app.session;
      await app.switchSession({ wanted: 'new' });
      return [textResult(`New session. The last one is ${shortId({ id })}.`)];
    },
  },
  {
    name: 'fork',
    hint: '[name]',
    help: 'Continue in a copy of this session',
    run: async ({ app, text }) => {
      const name = text === '' ? undefined : await availableName({ store: app.setup.store, written: text });
      const copy = await app.session.session.fork(name === undefined ? {} : { name });
      // Notes are copied too, and the newest name counts.
      if (name !== undefined) await copy.append({ type: 'session_info', info: { name } });
      await app.switchSession({ wanted: { session: copy.id } });
      return [textResult(`This is a copy: ${shortId({ id: copy.id })}.`)];
    },
  },
  {
    name: 'export',
    hint: '[FILE]',
    help: 'Write this session to a file: .html, .md, .jsonl, .json',
    isLive: true,
    run: async ({ app, text }) => await exported({ app, file: text }),
  },
];

async function exported({
  app,
  file,
}: {
  readonly app: Interactive;
  readonly file: string;
}): Promise<readonly CommandResult[]> {
  const output = file === '' ? `session-${shortId({ id: app.session.id })}.html` : file;
  const results = await programText({ app, args: ['export', app.session.id, '--output', output] });
  const isFine = results.every((result) => result.kind !== 'text' || result.level !== 'error');
  return isFine ? [textResult(`Written to ${output}.`)] : results;
}

async function showSession({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)/.exec(text) ?? [];
  const { session, setup } = app;
  switch (word) {
    case '':
      return [await sessionTable(app)];
    case 'checkpoints':
      return await programText({ app, args: ['checkpoints', session.id, ...(rest === '' ? [] : [rest])] });
    case 'rename': {
      const name = await availableName({ store: setup.store, written: rest, session: session.id });
      await session.session.append({ type: 'session_info', info: { name } });
      return [textResult(`The session is now named ${name}.`)];
    }
    case 'export':
      return await exported({ app, file: rest });
    default:
      throw usageError({ message: `/session does not know "${word}".`, hint: 'Use checkpoints, rename or export.' });
  }
}

async function sessionTable(app: Interactive): Promise<CommandResult> {
  const { session, view } = app;
  const { head, header } = session.session;
  const { status } = view;
  const checkpoints = await session.checkpoints();
  return {
    kind: 'table',
    columns: ['', ''],
    rows: [
      ['id', session.id],
      ...(view.session.name === undefined ? [] : [['name', view.session.name]]),
      ['folder', header.cwd ?? ''],
      ['store', app.setup.dir],
      ['model', status.model],
      ['entries', number(head.count)],
      ['messages sent', number(session.context.items.length)],
      ['compactions', number(checkpoints.length)],
      ...(status.context ? [['tokens', `${number(status.context.used)} of ${number(status.context.window)}`]] : []),
      ...(status.costUsd === undefined ? [] : [['cost', `$${status.costUsd.toFixed(3)}`]]),
      ...(header.parent ? [['copy of', header.parent.session]] : []),
    ],
    empty: '',
  };
}

async function listed({ app, text }: { readonly app: Interactive; readonly text: string }): Promise<SessionSummary[]> {
  const all = await app.setup.store.list({ sort: 'updated' });
  const wanted = text.toLowerCase();
  return all
    .filter(({ header, name, title }) => {
      if (header.owner !== undefined) return false;
      return [header.id, name, title, header.cwd].some((each) => each?.toLowerCase().includes(wanted));
    })
    .slice(0, mostListed);
}

async function pickSession({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const { store, io, dir } = app.setup;
  const sessions = await listed({ app, text });
  const exact = sessions.filter(({ header, name }) => name === text || shortId({ id: header.id }) === text);
  const [only] = exact;
  if (only && exact.length === 1) return await opened({ app, id: only.header.id });
  const mask = app.session.mask;
  return [
    {
      kind: 'picker',
      title: text === '' ? 'Sessions' : `Sessions with "${text}"`,
      items: sessions.map(({ header, name, title, messages, updatedAt }) => ({
        id: header.id,
        label: mask(name ?? clip({ text: title ?? '(empty)', length: 100 })),
        detail: [
          age({ now: io.now(), at: updatedAt }),
          `${number(messages)} messages`,
          ...(header.cwd === io.cwd || header.cwd === undefined ? [] : [header.cwd]),
          ...(header.id === app.session.id ? ['this session'] : []),
        ].join(', '),
      })),
      selected: app.session.id,
      empty: 'No session matches.',
      preview: async (id) => await previewOf({ app, id }),
      actions: [
        { label: 'open', run: async (id) => await opened({ app, id }) },
        {
          key: 'f',
          label: 'open a copy',
          run: async (id) => {
            await app.switchSession({ wanted: { session: id }, fork: true });
            return [];
          },
        },
        {
          key: 'r',
          label: 'rename',
          input: { label: 'Name' },
          run: async (id, written) => {
            const name = await availableName({ store, written, session: id });
            const live = id === app.session.id ? app.session.session : await openSession({ store, id });
            await live.append({ type: 'session_info', info: { name } });
            return [textResult(`Renamed to ${name}.`)];
          },
        },
        {
          key: 'd',
          label: 'delete',
          run: async (id) => [
            {
              kind: 'confirm',
              title: `Delete session ${shortId({ id })} permanently?`,
              body: [],
              choices: [
                {
                  key: 'y',
                  label: 'delete',
                  run: async () => {
                    if (id === app.session.id) await app.switchSession({ wanted: 'new' });
                    await store.delete(id);
                    await forgetPrompts({ io, dir, sessions: [id] });
                    return [textResult(`Deleted ${shortId({ id })}.`)];
                  },
                },
                { key: 'n', label: 'keep', run: async () => [] },
              ],
            },
          ],
        },
      ],
    },
  ];
}

async function opened({
  app,
  id,
}: {
  readonly app: Interactive;
  readonly id: string;
}): Promise<readonly CommandResult[]> {
  if (id === app.session.id) return [];
  await app.switchSession({ wanted: { session: id } });
  return [];
}

async function previewOf({ app, id }: { readonly app: Interactive; readonly id: string }): Promise<string> {
  const live =
    id === app.session.id ? app.session.session : await openSession({ store: app.setup.store, id, allowDamage: true });
  const { items } = await readTranscriptPage({ session: live, leaf: live.head.leaf, size: shownItems });
  const lines = items.slice(-shownItems).flatMap((item) => {
    if (item.kind === 'user') return [`> ${item.text}`];
    if (item.kind === 'assistant') return [clip({ text: item.text, length: 400 })];
    if (item.kind === 'tool') return [`  ${item.summary}`];
    return [];
  });
  return app.session.mask(lines.join('\n'));
}
