import type { Command } from 'commander';
import { applyEdits, findNodeAtLocation, modify, type ParseError, parse, parseTree } from 'jsonc-parser';
import { LonghaulError } from 'longhaul';
import { parse as parseToml } from 'smol-toml';
import { examplesHelp } from '../help.ts';
import { clients, type HookedClient, type InstalledSetting } from '../hooks/client-settings.ts';
import { isRecord } from '../input/is-record.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { printResult } from '../output/print-result.ts';
import { closest } from '../text/closest.ts';
import { printable } from '../text/printable.ts';

interface InstallOptions {
  readonly user?: true;
  readonly dryRun?: true;
}

/** `longhaul install CLIENT` and `longhaul uninstall CLIENT`. */
export function addInstallCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  addOne({
    name: 'install',
    description:
      'Adds the MCP server and hooks around its own compaction to the settings of another agent in this folder, so that it can search and recall its own earlier conversation. Comments and all other settings stay as they are.',
    isRemoval: false,
    program,
    bind,
  });
}

/** `longhaul uninstall CLIENT`. */
export function addUninstallCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  addOne({
    name: 'uninstall',
    description: 'Removes what `longhaul install` added to the settings of another agent, and nothing else.',
    isRemoval: true,
    program,
    bind,
  });
}

function addOne({
  name,
  description,
  isRemoval,
  program,
  bind,
}: {
  readonly name: string;
  readonly description: string;
  readonly isRemoval: boolean;
  readonly program: Command;
  readonly bind: Bind;
}): void {
  const names = clients.map((client) => client.name);
  const command = program
    .command(name)
    .description(description)
    .usage('CLIENT [options]')
    .argument('<CLIENT>', names.join(', '))
    .option('--user', "in the user's settings, for all folders, instead of those of this folder")
    .option('--dry-run', 'show the settings that would be written without writing them');
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        [`longhaul ${name} claude --dry-run`, 'show what would change'],
        [`longhaul ${name} claude`, 'in this folder'],
        [`longhaul ${name} gemini --user`, 'for all folders'],
      ],
    })}`,
  );
  bind<InstallOptions>({ command, action: changeSettings({ isRemoval }) });
}

/** A file with its text before and after; `after` is `undefined` where it goes. */
interface SettingsFileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const changeSettings =
  ({ isRemoval }: { readonly isRemoval: boolean }): CommandAction<InstallOptions> =>
  async (invocation) => {
    const { io, args, options, paint } = invocation;
    const client = clientNamed(args[0] ?? '');
    const command = await ownCommand(io);
    const settings = options.user ? client.user(command) : client.project(command);
    if (settings.length === 0) throw onlyForUser(client.name);
    const base = options.user ? io.home : invocation.cwd();
    const changes = await changesOf({ io, base, settings, isRemoval });
    if (!options.dryRun) for (const change of changes) await apply({ io, change });
    const { strong, faint } = paint('stdout');
    await printResult({
      invocation,
      value: { client: client.name, dryRun: options.dryRun === true, files: changes },
      lines: () => {
        if (changes.length === 0) return [isRemoval ? 'Nothing of longhaul is installed there.' : 'Already installed.'];
        const verb = options.dryRun ? 'Would write' : 'Wrote';
        return changes.flatMap(({ path, after }) =>
          after === undefined
            ? [`${options.dryRun ? 'Would remove' : 'Removed'} ${strong(printable(path))}`]
            : [`${verb} ${strong(printable(path))}`, ...(options.dryRun ? linesOf(after).map(faint) : [])],
        );
      },
    });
    return 0;
  };

function clientNamed(wanted: string): HookedClient {
  const found = clients.find(({ name, agent }) => name === wanted || agent === wanted);
  if (found) return found;
  const names = clients.map(({ name }) => name);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'unknown-agent',
    message: `Unknown client "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${names.join(', ')}; any other MCP client can start \`longhaul mcp\`.`,
  });
}

function onlyForUser(name: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-usage',
    message: `${name} reads MCP servers from the user's settings only.`,
    hint: 'Add --user.',
  });
}

function foreignFile(path: string): LonghaulError {
  return new LonghaulError({
    code: 'settings-invalid',
    message: `${path} was not written by longhaul; nothing was changed.`,
    hint: 'Rename that file first.',
  });
}

/** How another program starts this one: by name where it is on the path, else by its file. */
async function ownCommand(io: Io): Promise<readonly string[]> {
  const { join, delimiter } = pathOf(io);
  const names = io.platform === 'win32' ? ['longhaul.cmd', 'longhaul.exe'] : ['longhaul'];
  for (const folder of (io.env.PATH ?? '').split(delimiter).filter((part) => part !== '')) {
    for (const name of names) {
      if ((await io.files.stat(join(folder, name)).catch(() => undefined))?.kind === 'file') return ['longhaul'];
    }
  }
  return [process.execPath, ...process.execArgv, process.argv[1] ?? 'longhaul'];
}

async function changesOf({
  io,
  base,
  settings,
  isRemoval,
}: {
  readonly io: Io;
  readonly base: string;
  readonly settings: readonly InstalledSetting[];
  readonly isRemoval: boolean;
}): Promise<SettingsFileChange[]> {
  const { join } = pathOf(io);
  const changes: SettingsFileChange[] = [];
  for (const file of new Set(settings.map((setting) => setting.file))) {
    const path = join(base, file);
    const own = settings.filter((setting) => setting.file === file);
    const whole = own.find(({ at }) => at.length === 0);
    const before = await currentText({ io, path, isOwn: whole !== undefined });
    if (whole) {
      if (before !== undefined && !before.includes('receive-hook')) throw foreignFile(path);
      const after = isRemoval ? undefined : String(whole.value);
      if (after !== before) changes.push({ path, before, after });
      continue;
    }
    const [change, empty] = path.endsWith('.toml') ? [changedToml, ''] : [changed, '{}\n'];
    const after = own.reduce((text, setting) => change({ text, setting, isRemoval }), before ?? empty);
    const isEmpty = isRemoval && Object.keys(parsed({ text: after, path })).length === 0 && !after.includes('#');
    if (before === undefined && (isRemoval || after === empty)) continue;
    if (after !== before) changes.push({ path, before, after: isEmpty ? undefined : after });
  }
  return changes;
}

async function currentText({
  io,
  path,
  isOwn,
}: {
  readonly io: Io;
  readonly path: string;
  /** A file of our own is not parsed. */
  readonly isOwn: boolean;
}): Promise<string | undefined> {
  const facts = await io.files.stat(path);
  if (!facts) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of io.files.read(path)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (!isOwn) parsed({ text, path });
  return text;
}

function parsed({ text, path }: { readonly text: string; readonly path: string }): Record<string, unknown> {
  const errors: ParseError[] = [];
  const isToml = path.endsWith('.toml');
  const value: unknown = isToml ? tomlOf(text) : parse(text, errors, { allowTrailingComma: true });
  if (errors.length === 0 && isRecord(value)) return value;
  throw new LonghaulError({
    code: 'settings-invalid',
    message: `${path} is not ${isToml ? 'valid TOML' : 'a JSON object'}; nothing was changed.`,
    hint: 'Repair the file first.',
  });
}

/** `undefined` for what is no TOML. */
function tomlOf(text: string): unknown {
  try {
    return parseToml(text);
  } catch {
    return undefined;
  }
}

/** The same for TOML: a table at the end of the file, so that everything else stays byte for byte. */
function changedToml({
  text,
  setting: { at, value },
  isRemoval,
}: {
  readonly text: string;
  readonly setting: InstalledSetting;
  readonly isRemoval: boolean;
}): string {
  const header = `[${at.join('.')}]`;
  const table = `${header}\n${Object.entries(value as object)
    .map(([name, member]) => `${name} = ${JSON.stringify(member)}\n`)
    .join('')}`;
  const lines = text.split(/(?<=\n)/);
  const start = lines.findIndex((line) => line.trim() === header);
  if (start < 0)
    return isRemoval ? text : `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${text && '\n'}${table}`;
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('['));
  const end = length < 0 ? lines.length : start + 1 + length;
  if (!isRemoval) {
    const now = lines.slice(start, end).join('');
    return now.trim() === table.trim() ? text : [...lines.slice(0, start), table, ...lines.slice(end)].join('');
  }
  // The empty line that was put before the table goes too.
  const from = lines[start - 1]?.trim() === '' ? start - 1 : start;
  return [...lines.slice(0, from), ...lines.slice(end)].join('');
}

/** The text with a setting added or removed; other values and comments stay. */
function changed(of: {
  readonly text: string;
  readonly setting: InstalledSetting;
  readonly isRemoval: boolean;
}): string {
  const { text, setting, isRemoval } = of;
  const { at, value, isItem } = setting;
  const now = valueAt({ root: parse(text), at });
  if (isItem) {
    const items: readonly unknown[] = Array.isArray(now) ? now : [];
    const found = items.findIndex((item) => isOwnHook(item));
    if (isRemoval)
      return found < 0 ? text : withoutEmpty({ text: edit({ text, path: [...at, found], value: undefined }), at });
    if (found >= 0) return text;
    return Array.isArray(now)
      ? edit({ text, path: [...at, items.length], value, isInsertion: true })
      : edit({ text, path: at, value: [value] });
  }
  if (isRemoval)
    return now === undefined
      ? text
      : withoutEmpty({ text: edit({ text, path: at, value: undefined }), at: at.slice(0, -1) });
  return JSON.stringify(now) === JSON.stringify(value) ? text : edit({ text, path: at, value });
}

function edit(of: {
  readonly text: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly isInsertion?: boolean;
}): string {
  const { text, path, value, isInsertion } = of;
  if (value === undefined && path.some((key) => typeof key === 'number' && key > 0)) return withoutItem({ text, path });
  const [change] = modify(text, [...path], value, { ...(isInsertion && { isArrayInsertion: true }) });
  if (!change || value === undefined) return applyEdits(text, change ? [change] : []);
  const [, comma = '', name = '', json = ''] =
    /^(,?)\s*("(?:[^"\\]|\\.)*"\s*:)?\s*([\s\S]*)/.exec(change.content) ?? [];
  const missing = path.findIndex((_, at) => valueAt({ root: parse(text), at: path.slice(0, at + 1) }) === undefined);
  const indent = '  '.repeat(missing < 0 ? path.length : missing + 1);
  const pretty = JSON.stringify(JSON.parse(json), undefined, 2).replaceAll('\n', `\n${indent}`);
  // The library's own formatting would write the settings next to it anew.
  const added = `\n${indent}${name}${name && ' '}${pretty}`;
  const content = change.length > 0 ? pretty : comma ? `,${added}` : `${added}\n${indent.slice(2)}`;
  return applyEdits(text, [{ ...change, content }]);
}

/** Removes an item that is not the first of its list, and what is between it and the one before. */
function withoutItem({ text, path }: { readonly text: string; readonly path: readonly (string | number)[] }): string {
  const root = parseTree(text);
  const [before, item] = [-1, 0].map((by) => {
    const at = [...path.slice(0, -1), Number(path.at(-1)) + by];
    return root && findNodeAtLocation(root, at);
  });
  return before && item ? text.slice(0, before.offset + before.length) + text.slice(item.offset + item.length) : text;
}

/** Removes objects and lists that have become empty, from the inside. */
function withoutEmpty({ text, at }: { readonly text: string; readonly at: readonly string[] }): string {
  if (at.length === 0) return text;
  const value = valueAt({ root: parse(text), at });
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? withoutEmpty({ text: edit({ text, path: at, value: undefined }), at: at.slice(0, -1) }) : text;
}

function valueAt({ root, at }: { readonly root: unknown; readonly at: readonly (string | number)[] }): unknown {
  return at.reduce<unknown>(
    (value, key) => (isRecord(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    root,
  );
}

function isOwnHook(item: unknown): boolean {
  const hooks: unknown = isRecord(item) ? item.hooks : undefined;
  return (
    Array.isArray(hooks) &&
    hooks.some((hook) => isRecord(hook) && typeof hook.command === 'string' && / receive-hook$/.test(hook.command))
  );
}

async function apply({ io, change }: { readonly io: Io; readonly change: SettingsFileChange }): Promise<void> {
  const { dirname, basename } = pathOf(io);
  const folder = io.folder(dirname(change.path));
  const name = basename(change.path);
  if (change.after === undefined) await folder.remove(name);
  else await folder.write({ name, text: change.after });
}

/** The content of a file as it is printed. */
function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n').map(printable);
}
