import { keepRecentFor, planCut } from 'longhaul/engine';
import type { Message } from 'longhaul/message';
import { formatHandle, gistOf, headLength } from 'longhaul/session';
import { secretsOf } from '../../agent/secrets-of.ts';
import { linkedTo } from '../../session/linked.ts';
import { entryAt, withSign } from '../../session/position.ts';
import { readLog } from '../../session/read-log.ts';
import { rulesInForce } from '../../session/rules-in-force.ts';
import { type FoundPlace, searchStore } from '../../session/search-store.ts';
import { shortId } from '../../session/short-id.ts';
import { loadTokenCounter, type TokenKind } from '../../session/token-counter.ts';
import { createUsageTally } from '../../stats/usage.ts';
import { clip } from '../../text/clip.ts';
import { count } from '../../text/count.ts';
import { number } from '../../text/number.ts';
import type { CommandContext, SlashCommand } from '../app/command.ts';
import type { Interactive } from '../app/interactive.ts';
import { type CommandResult, type MapResult, type MapSegment, textResult } from '../app/result.ts';
import { programText, usageError } from './program.ts';

/** Results of a search. */
const mostFound = 30;

export const contextCommands: readonly SlashCommand[] = [
  {
    name: 'context',
    help: 'Show what fills the window, by kind, and what would go first',
    isLive: true,
    run: async ({ app }) => [await contextMap(app)],
  },
  {
    name: 'pin',
    hint: '[rule]',
    help: 'Pin a rule that every compaction keeps word for word; without one, list the rules',
    isLive: true,
    run: async ({ app, text }) => {
      if (text === '') return await programText({ app, args: ['pin', app.session.id] });
      const { handle } = await app.session.pin({ text });
      return [textResult(`Pinned as ${formatHandle({ entry: handle })}. /unpin removes it.`)];
    },
  },
  {
    name: 'unpin',
    hint: '[handle]',
    help: 'Remove a rule',
    isLive: true,
    complete: async ({ app }) =>
      (await rulesInForce(app.session)).map(({ entry, text }) => ({
        value: entry,
        detail: clip({ text, length: 60 }),
      })),
    run: unpin,
  },
  {
    name: 'recall',
    hint: 'QUERY|@HANDLE',
    help: 'Find something in this session, or print the exact text of a handle',
    isLive: true,
    run: async ({ app, text }) => {
      if (text === '')
        throw usageError({ message: 'Nothing was asked for.', hint: 'Type /recall @12, or /recall and words.' });
      if (/^@?\d+(?:\.\d+)?(?::\d+-\d+)?$/.test(text)) {
        const { text: found } = await app.session.recall({ handle: withSign(text) });
        return [textResult(found, text)];
      }
      return [await foundPicker({ app, text, session: app.session.id })];
    },
  },
  {
    name: 'search',
    hint: 'QUERY',
    help: 'Full-text search in all sessions',
    isLive: true,
    run: async ({ app, text }) => {
      if (text === '')
        throw usageError({ message: 'The query is empty.', hint: 'Type /search and at least one word.' });
      return [await foundPicker({ app, text, session: undefined })];
    },
  },
  {
    name: 'frontier',
    help: 'Show the state of the work: tasks, commands, tests, files',
    isLive: true,
    run: async ({ app }) => await programText({ app, args: ['frontier', app.session.id] }),
  },
  {
    name: 'cost',
    help: 'Show tokens and cost of this session, by model',
    isLive: true,
    run: async ({ app }) => [await costs(app)],
  },
];

/** What models have reported, with summaries and sub-agents. */
async function costs(app: Interactive): Promise<CommandResult> {
  const { store } = app.setup;
  const tally = createUsageTally();
  for (const session of linkedTo({ sessions: [app.session.id], all: await store.list() }))
    for await (const entry of readLog({ store, session })) tally.take(entry);
  const { models, dollars } = tally.counted();
  const money = (amount: number | null) =>
    amount === null ? 'price unknown' : `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
  const lines = models.flatMap(({ provider, name, calls, usage, dollars: price }) => [
    `${provider}/${name} · ${count({ amount: calls, of: 'request' })} · ${money(price)}`,
    `  input ${number(usage.input)} · cache read ${number(usage.cacheRead)} · cache write ${number(usage.cacheWrite)} · output ${number(usage.output)}`,
  ]);
  if (lines.length === 0) return textResult('No model has reported usage yet.');
  const total =
    dollars === null ? [] : ['', `${money(dollars)} in total, with summaries and sub-agents, at today's prices`];
  return textResult([...lines, ...total].join('\n'));
}

async function unpin({ app, text }: CommandContext): Promise<readonly CommandResult[]> {
  const remove = async (written: string): Promise<readonly CommandResult[]> => {
    const entry = await entryAt({ store: app.setup.store, session: app.session.id, written });
    await app.session.pin({ removes: entry.id });
    return [textResult(`${formatHandle({ entry: entry.handle })} is no longer a rule.`)];
  };
  if (text !== '') return await remove(text);
  const rules = await rulesInForce(app.session);
  return [
    {
      kind: 'picker',
      title: 'Remove which rule?',
      items: rules.map(({ entry, text: rule }, index) => ({
        id: `${entry} ${index}`,
        label: clip({ text: rule, length: 200 }),
        detail: entry,
      })),
      empty: 'No rules are in force.',
      actions: [{ label: 'remove', run: async (id) => await remove(id.split(' ')[0] ?? '') }],
    },
  ];
}

async function foundPicker({
  app,
  text,
  session,
}: {
  readonly app: Interactive;
  readonly text: string;
  readonly session: string | undefined;
}): Promise<CommandResult> {
  const { store, io } = app.setup;
  const found = await searchStore({ store, text, limit: mostFound, session, secrets: secretsOf(io.env) });
  const byId = new Map(found.map((place) => [`${place.session} ${place.handle}`, place]));
  const open = async ({ session: where, handle }: FoundPlace): Promise<string> => {
    if (where === app.session.id) return (await app.session.recall({ handle })).text;
    const entry = await entryAt({ store, session: where, written: handle.split(/[.:]/, 1)[0] ?? '' });
    return gistOf(entry).text;
  };
  const textOf = async (id: string): Promise<string> => {
    const place = byId.get(id);
    return place ? app.session.mask(await open(place)) : '';
  };
  return {
    kind: 'picker',
    title: `Found for "${text}"`,
    items: [...byId].map(([id, place]) => ({
      id,
      label: clip({ text: place.snippet, length: 160 }),
      detail: session === undefined ? `${shortId({ id: place.session })} ${place.handle}` : place.handle,
    })),
    empty: 'No results.',
    preview: textOf,
    actions: [
      { label: 'show', run: async (id) => [textResult(await textOf(id), byId.get(id)?.handle)] },
      {
        key: 'm',
        label: 'mention in the prompt',
        run: async (id) => [{ kind: 'edit', text: `${(await textOf(id)).trim()}\n` }],
      },
    ],
  };
}

const segmentLabels: Readonly<Record<MapSegment['kind'], string>> = {
  system: 'system and instructions',
  tools: 'tools',
  summary: 'summaries',
  human: 'your messages',
  model: 'answers',
  thinking: 'thinking',
  toolCalls: 'tool calls',
  toolResults: 'tool results and files',
  engine: 'engine messages',
};

/** What fills the window. The ledger's sum is split by our own count of each message. */
async function contextMap(app: Interactive): Promise<MapResult> {
  const { session, agent } = app;
  const { snapshot, budget, countMessage } = await session.size({ model: agent.model });
  const { byKind } = await loadTokenCounter();
  const tokens = new Map<MapSegment['kind'], number>();
  const messages = new Map<MapSegment['kind'], number>();
  const add = (kind: MapSegment['kind'], amount: number, count: number) => {
    tokens.set(kind, (tokens.get(kind) ?? 0) + amount);
    messages.set(kind, (messages.get(kind) ?? 0) + count);
  };
  for (const { message, isMade } of session.context.items) {
    const kinds = kindsOf({ message, isMade, byKind });
    for (const [index, [kind, amount]] of kinds.entries()) add(kind, amount, index === 0 ? 1 : 0);
  }
  const counted = [...tokens.values()].reduce((a, b) => a + b, 0);
  const factor = counted === 0 ? 1 : (snapshot.used - snapshot.tools) / counted;
  add('tools', snapshot.tools / factor, 0);
  const kinds = Object.keys(segmentLabels) as MapSegment['kind'][];
  const items = session.context.items.map(({ message }) => ({ message, tokens: countMessage(message) }));
  return {
    kind: 'map',
    title: `${agent.model.id.provider}/${agent.model.id.name}, ${number(snapshot.window)} tokens`,
    window: snapshot.window,
    used: snapshot.used,
    bound: snapshot.bound,
    reserve: budget.reserve,
    threshold: budget.threshold,
    segments: kinds.flatMap((kind) => {
      const amount = Math.round((tokens.get(kind) ?? 0) * factor);
      return amount > 0
        ? [{ kind, label: segmentLabels[kind], tokens: amount, messages: messages.get(kind) ?? 0 }]
        : [];
    }),
    goesFirst: firstToGo({ app, items, window: snapshot.window }),
  };
}

function kindsOf(of: {
  readonly message: Message;
  readonly isMade: boolean;
  readonly byKind: (message: Message) => Partial<Record<TokenKind, number>>;
}): [MapSegment['kind'], number][] {
  const { message, isMade, byKind } = of;
  const kinds = Object.entries(byKind(message)) as [TokenKind, number][];
  const sum = kinds.reduce((total, [, amount]) => total + amount, 0);
  if (message.role === 'system') return [['system', sum]];
  if (isMade && message.role === 'user') return [['summary', sum]];
  return kinds;
}

/** The messages that the next compaction would replace. */
function firstToGo({
  app,
  items,
  window,
}: {
  readonly app: Interactive;
  readonly items: readonly { readonly message: Message; readonly tokens: number }[];
  readonly window: number;
}): string[] {
  const headCount = headLength(app.session.context);
  const keepRecent = app.values.compaction.keepRecent ?? keepRecentFor({ window });
  const plan = planCut({ items, headCount, keepRecent });
  if (plan.start === undefined) return [];
  const going = app.session.context.items.slice(plan.start, plan.cut);
  const first = going.find(({ message }) => message.role === 'user');
  const text = first?.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ') ?? '';
  return [
    `${number(going.length)} messages with about ${number(plan.tokens.replaced)} tokens${text === '' ? '' : `, from "${clip({ text, length: 60 })}" on`}`,
    `the newest ${number(items.length - plan.cut)} messages with about ${number(plan.tokens.kept)} tokens stay`,
  ];
}
