import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { findInstructions } from 'longhaul/agent';
import {
  addToBoard,
  branchOfSession,
  chooseInbox,
  consolidate,
  editEntry,
  type FinishedSession,
  importMemory,
  memoryKinds,
  readBoard,
  repositoryOf,
  staleCheck,
  writeBoard,
} from 'longhaul/memory';
import { openSession, type SessionSummary, type Store } from 'longhaul/session';
import { chooseModel } from '../agent/choose-model.ts';
import { secretsOf } from '../agent/secrets-of.ts';
import { examplesHelp } from '../help.ts';
import { readText } from '../input/read-text.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { type OpenBoard, openBoard, printChange, printEntries } from '../memory/board.ts';
import { addEntry, checkedText, entryFor, kindOf, removeEntries, searchEntries, voteOn } from '../memory/edit-board.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags, type SettingKey } from '../settings/flags.ts';
import { findSession } from '../store/find-session.ts';
import { type Opened, withStore } from '../store/with-store.ts';
import { printable } from '../text/printable.ts';

interface MemoryOptions {
  readonly kind?: string;
  readonly branch?: string;
  readonly section?: string;
  readonly dryRun?: true;
  readonly all?: true;
}

/** `longhaul memory …`. */
export function addMemoryCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const memory = program
    .command('memory')
    .description(
      'What earlier sessions learned about this repository: commands, conventions, decisions, pitfalls, preferences and locations. A new session of the agent gets the relevant entries. Found without a model; text of tools, web pages and models never becomes memory.',
    )
    .usage('COMMAND [options]');
  const addCommand = (of: {
    readonly name: string;
    readonly summary: string;
    readonly action: CommandAction<MemoryOptions>;
    readonly set?: (command: Command) => Command;
    readonly keys?: readonly SettingKey[];
    readonly examples: readonly (readonly [string, string])[];
  }) => {
    const command = memory.command(of.name).summary(of.summary);
    command.description(`${of.summary.slice(0, 1).toUpperCase()}${of.summary.slice(1)}.`);
    of.set?.(command);
    addSettingFlags({ command, keys: ['store.dir', 'memory.inRepo', ...(of.keys ?? [])] });
    command.addHelpText('after', `\n${examplesHelp({ examples: of.examples })}`);
    bind<MemoryOptions>({ command, action: of.action });
  };
  const kinds = `one of ${memoryKinds.join(', ')}`;
  addCommand({
    name: 'list',
    summary: 'list the board, the most useful entries first',
    action: list,
    set: (command) => command.option('--kind <kind>', `only entries of this kind: ${kinds}`),
    examples: [
      ['longhaul memory list', 'the board of this repository'],
      ['longhaul memory list --kind command --json', 'commands with their evidence, as JSON'],
    ],
  });
  addCommand({
    name: 'add',
    summary: 'add an entry in your own words',
    action: add,
    set: (command) =>
      command
        .argument('<TEXT>', 'the fact, up to 300 characters')
        .option('--kind <kind>', `${kinds}; default: convention`)
        .option('--branch <name>', 'only for this branch')
        .option('--dry-run', 'show what would change'),
    examples: [['longhaul memory add "Tests need Docker." --kind pitfall', 'add a pitfall']],
  });
  addCommand({
    name: 'edit',
    summary: 'replace the text of an entry',
    action: edit,
    set: (command) => command.argument('<ID>', 'the id, or its start').argument('<TEXT>', 'the new text'),
    examples: [['longhaul memory edit 3f2a "Tests need Docker 28."', 'your words take precedence from now on']],
  });
  addCommand({
    name: 'remove',
    summary: 'delete entries permanently, from the archive too',
    action: remove,
    set: (command) => command.argument('<ID...>', 'ids, or their starts').option('--dry-run', 'show what would change'),
    examples: [['longhaul memory remove 3f2a', 'consolidation does not bring it back']],
  });
  addCommand({
    name: 'vote',
    summary: 'rate an entry; down dismisses it',
    action: vote,
    set: (command) => command.argument('<ID>', 'the id, or its start').argument('<VOTE>', 'up, down or none'),
    examples: [['longhaul memory vote 3f2a down', 'it is not delivered any more']],
  });
  addCommand({
    name: 'search',
    summary: 'find entries on the board and in the archive',
    action: search,
    set: (command) => command.argument('<TEXT>', 'words that the entry contains'),
    examples: [['longhaul memory search docker', 'in texts and quotations']],
  });
  addCommand({
    name: 'archive',
    summary: 'list what left the board, and why',
    action: archive,
    examples: [['longhaul memory archive', 'superseded, pruned, or less useful than the rest']],
  });
  addCommand({
    name: 'inbox',
    summary: 'show what a new session would get',
    action: inbox,
    set: (command) => command.argument('[REQUEST]', 'its first request'),
    keys: ['memory.inboxTokens'],
    examples: [['longhaul memory inbox "Fix the login test"', 'the notes, as they are sent']],
  });
  addCommand({
    name: 'export',
    summary: 'print board and archive as Markdown, or as JSON with --json',
    action: exportBoard,
    examples: [['longhaul memory export > memory.md', 'import reads it again']],
  });
  addCommand({
    name: 'import',
    summary: 'import memory of other agents: Claude Code, GitHub Copilot, instruction files, exports',
    action: importFiles,
    set: (command) =>
      command
        .argument(
          '[FILE...]',
          "memory files; default: Claude Code's memory of this folder and .github/copilot-memories.jsonl",
        )
        .option('--section <title>', 'only the section with this heading')
        .option('--dry-run', 'show what would change'),
    examples: [
      ['longhaul memory import', 'what is found'],
      ['longhaul memory import AGENTS.md --section Testing', 'one section'],
    ],
  });
  addCommand({
    name: 'consolidate',
    summary: 'take the learnings of sessions to the board',
    action: consolidateSessions,
    set: (command) =>
      command
        .argument('[SESSION...]', 'default: the sessions of this repository that changed since')
        .option('--all', 'also sessions that were consolidated before')
        .option('--dry-run', 'show what would change'),
    keys: ['memory.refine', 'model'],
    examples: [
      ['longhaul memory consolidate --dry-run', 'what would be learned from the sessions here'],
      ['longhaul import --scan && longhaul memory consolidate', 'memory from the history of other agents'],
      ['longhaul memory consolidate last', 'one session'],
    ],
  });
}

type MemoryInvocation = Parameters<CommandAction<MemoryOptions>>[0];

/** Opens store and board for the duration of a command. One that only reads creates neither. */
async function withBoard(
  invocation: MemoryInvocation,
  work: (opened: OpenBoard & Opened) => Promise<number>,
  { isReading = false }: { readonly isReading?: boolean } = {},
): Promise<number> {
  return await withStore({
    invocation,
    work: async (opened) => {
      const { dir, values } = opened;
      const { io } = invocation;
      const isMissing =
        isReading && (await io.files.stat(join(dir, 'memory.sqlite')).catch(() => undefined)) === undefined;
      const board = await openBoard({ io, dir: isMissing ? undefined : dir, values, folder: io.cwd });
      try {
        return await work({ ...opened, ...board });
      } finally {
        board.memory.close();
      }
    },
  });
}

const list: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(
    invocation,
    async ({ memory }) => {
      const kind = kindOf(invocation.options.kind);
      const entries = memory.list().filter((entry) => kind === undefined || entry.kind === kind);
      return await printEntries({
        invocation,
        entries,
        empty: 'The board is empty. Fill it with `longhaul memory consolidate`.',
      });
    },
    { isReading: true },
  );

const archive: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(
    invocation,
    async ({ memory }) => {
      const entries = memory.read().entries.filter(({ archived }) => archived);
      return await printEntries({ invocation, entries, empty: 'The archive is empty.' });
    },
    { isReading: true },
  );

const search: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(
    invocation,
    async ({ memory }) => {
      const entries = searchEntries({ memory, text: invocation.args[0] ?? '' });
      return await printEntries({ invocation, entries, empty: 'No entry contains these words.' });
    },
    { isReading: true },
  );

const add: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory }) => {
    const { io, args, options } = invocation;
    const change = addEntry({
      memory,
      text: args[0] ?? '',
      kind: kindOf(options.kind),
      branch: options.branch,
      at: io.now(),
      isDry: options.dryRun === true,
    });
    return await printChange({ invocation, change });
  });

const edit: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory }) => {
    const { io, args } = invocation;
    const { id } = entryFor({ entries: memory.read().entries, wanted: args[0] ?? '' });
    const text = checkedText(args[1] ?? '');
    const change = memory.change({ work: (state) => editEntry({ state, id, text, at: io.now() }) });
    return await printChange({ invocation, change });
  });

const remove: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory }) => {
    const { args, options } = invocation;
    const found = removeEntries({ memory, ids: args, isDry: options.dryRun === true });
    await printResult({
      invocation,
      value: { removed: found.map(({ id }) => id), dryRun: options.dryRun === true },
      lines: () => found.map(({ id, text }) => `- ${id}  ${printable(text)}`),
    });
    return 0;
  });

const vote: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory }) => {
    const [wanted = '', word = ''] = invocation.args;
    const { id, text } = voteOn({ memory, wanted, word });
    await printResult({ invocation, value: { id, vote: word }, lines: () => [`${word}: ${id}  ${printable(text)}`] });
    return 0;
  });

const inbox: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(
    invocation,
    async ({ memory, repository, values }) => {
      const [request = ''] = invocation.args;
      const { files } = await findInstructions({ cwd: invocation.io.cwd });
      const checked = staleCheck({ root: repository.root })({ entries: memory.list(), removed: [] });
      const { entries, text, tokens } = chooseInbox({
        entries: checked.entries,
        request,
        branch: repository.branch,
        tokens: values.memory.inboxTokens,
        instructions: files.map((file) => file.text).join('\n'),
      });
      await printResult({
        invocation,
        value: { entries: entries.map(({ id }) => id), tokens, text },
        lines: () => [text === '' ? 'Nothing would be delivered.' : printableLines(text)],
      });
      return 0;
    },
    { isReading: true },
  );

const exportBoard: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(
    invocation,
    async ({ memory }) => {
      const state = memory.read();
      await invocation.io.stdout.write(
        invocation.json ? `${JSON.stringify(state, undefined, 2)}\n` : writeBoard({ state }),
      );
      return 0;
    },
    { isReading: true },
  );

const importFiles: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory, repository, values }) => {
    const { io, args, options } = invocation;
    const files = args.length > 0 ? args : await memoryFiles({ invocation, root: repository.root });
    const limit = { bytes: values.limits.fileBytes, hint: 'Raise --limits-file-bytes, or split the file.' };
    const read = await Promise.all(
      files.map(async (name) => ({
        name,
        text: await readText({ name, from: { files: io.files, path: join(absolute(io.cwd, name)) }, limit }),
      })),
    );
    const { section } = options;
    const refused: string[] = [];
    const at = io.now();
    const change = memory.change({
      isDry: options.dryRun === true,
      work: (state) =>
        read.reduce((board, { name, text }) => {
          if (text.includes('<!-- longhaul ')) {
            const { entries } = readBoard(text);
            const known = new Set([...board.entries.map(({ id }) => id), ...board.removed]);
            const added = entries.filter(({ id }) => !known.has(id));
            return { entries: board.entries.concat(added), removed: board.removed };
          }
          const imported = importMemory({ name: basename(name), text, at, ...(section !== undefined && { section }) });
          refused.push(...imported.refused);
          return addToBoard({ state: board, candidates: imported.candidates });
        }, state),
    });
    for (const text of refused)
      await io.stderr.write(
        `Left out, since it asks for something dangerous or commands its reader: ${printable(text)}\n`,
      );
    return await printChange({ invocation, change, more: { files, refused } });
  });

/** Claude Code's memory of this folder, and Copilot's memory in the repository. */
async function memoryFiles({
  invocation,
  root,
}: {
  readonly invocation: MemoryInvocation;
  readonly root: string;
}): Promise<string[]> {
  const { files, home } = invocation.io;
  const folder = join(home, '.claude', 'projects', root.replace(/[^A-Za-z0-9]/g, '-'), 'memory');
  const listed = await files.list(folder).catch(() => []);
  const found = listed
    .filter(({ kind, name }) => kind === 'file' && name.endsWith('.md'))
    .map(({ name }) => join(folder, name));
  const copilot = join(root, '.github', 'copilot-memories.jsonl');
  const all = [...found.toSorted(), ...((await files.stat(copilot).catch(() => undefined)) ? [copilot] : [])];
  if (all.length > 0) return all;
  throw new LonghaulError({
    code: 'file-not-found',
    message: `There is neither ${folder} nor ${copilot}.`,
    hint: 'Name the files to import, for example AGENTS.md.',
  });
}

function absolute(cwd: string, name: string): string {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(name) ? name : join(cwd, name);
}

const consolidateSessions: CommandAction<MemoryOptions> = async (invocation) =>
  await withBoard(invocation, async ({ memory, repository, store, values }) => {
    const { io, args, options } = invocation;
    const found =
      args.length > 0
        ? await Promise.all(args.map(async (wanted) => await findSession({ store, wanted })))
        : (await store.list({ sort: 'created' })).filter((session) => isOf({ session, id: repository.id }));
    const sessions: FinishedSession[] = [];
    for (const { header } of found) {
      await refuseOthers({ io, cwd: header.cwd, session: header.id, id: repository.id });
      const { last } = await store.head(header.id);
      if (args.length === 0 && !options.all && memory.session(header.id).last >= last) continue;
      sessions.push(await finished({ store, header, base: repository.base }));
    }
    const model = values.memory.refine ? await chooseModel({ values, io }) : undefined;
    const change = await consolidate({
      memory,
      sessions,
      secrets: secretsOf(io.env),
      isDry: options.dryRun === true,
      check: staleCheck({ root: repository.root, symbols: true }),
      ...(model && { model }),
    });
    return await printChange({ invocation, change, more: { sessions: sessions.map(({ header }) => header.id) } });
  });

/** A session of another repository on this machine has a board of its own. */
async function refuseOthers(of: {
  readonly io: MemoryInvocation['io'];
  readonly cwd: string | undefined;
  readonly session: string;
  readonly id: string;
}): Promise<void> {
  const { io, cwd, session, id } = of;
  if (cwd === undefined || repositoryOf({ folder: cwd }).id === id) return;
  if ((await io.files.stat(cwd).catch(() => undefined)) === undefined) return;
  throw new LonghaulError({
    code: 'bad-usage',
    message: `The session ${session} belongs to another repository: ${cwd}.`,
    hint: 'Run the command in that folder.',
  });
}

/** Sessions of sub-agents count as well: their calls are part of the work. */
function isOf({ session, id }: { readonly session: SessionSummary; readonly id: string }): boolean {
  const { cwd } = session.header;
  return cwd !== undefined && repositoryOf({ folder: cwd }).id === id;
}

async function finished(of: {
  readonly store: Store;
  readonly header: SessionSummary['header'];
  readonly base: string | undefined;
}): Promise<FinishedSession> {
  const { store, header, base } = of;
  const log = await openSession({ store, id: header.id, allowDamage: true });
  const { cwd } = header;
  const branch = branchOfSession(header);
  const isDefault = branch === base || /^(?:main|master|trunk)$/.test(branch ?? '');
  return {
    header,
    path: await log.path(),
    ...(cwd !== undefined && { root: repositoryOf({ folder: cwd }).root }),
    ...(branch !== undefined && !isDefault && { branch }),
  };
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
