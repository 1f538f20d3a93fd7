import { basename, resolve } from 'node:path';
import { LonghaulError } from 'longhaul';
import {
  type ActiveExtensions,
  type AgentProfile,
  activateExtensions,
  type CustomAgent,
  type CustomCommand,
  findAgents,
  findCommands,
  type LoadedExtension,
  parseCommandLine,
  readProfile,
  type Skill,
} from 'longhaul/agent';
import type { Message, TextPart } from 'longhaul/message';
import { readText } from '../input/read-text.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { userFilePath } from '../settings/locations.ts';
import type { Settings } from '../settings/schema.ts';
import { closest } from '../text/closest.ts';
import type { TrustItem } from '../trust/trust.ts';

/** What the user and a trusted project add to the agent. */
export interface Customizations {
  readonly agents: readonly CustomAgent[];
  /** Of files and extensions, the former first. */
  readonly commands: readonly CustomCommand[];
  readonly extensions: ActiveExtensions;
  /** What is off because the user does not trust it. */
  readonly off: readonly TrustItem[];
}

/**
 * Skill folders of the user: ours and Claude Code's.
 *
 * @example
 * await findSkills({ cwd: io.cwd, folders: userSkillFolders(io) });
 */
export function userSkillFolders(io: Pick<Io, 'home' | 'platform'>): readonly string[] {
  return ['.config/longhaul/skills', '.claude/skills'].map((folder) => pathOf(io).join(io.home, folder));
}

/** One of them, for a list. */
export interface CustomizationRow {
  /** `agent`, `command`, `skill` or `extension`. */
  readonly kind: string;
  /** As it is typed: `/review`, `reviewer`. */
  readonly name: string;
  readonly description: string;
  /** The file it comes from, or the extension. */
  readonly source: string;
  /** `off` until the user trusts it. */
  readonly state: 'on' | 'off';
}

/**
 * Everything that adds to the agent, for `longhaul agents`, `/agents` and `/skills`.
 *
 * @example
 * const rows = customizationRows({ custom, skills: await findSkills({ cwd }) });
 */
export function customizationRows({
  custom,
  skills,
}: {
  readonly custom: Customizations;
  readonly skills: readonly Skill[];
}): readonly CustomizationRow[] {
  const { agents, commands, extensions, off } = custom;
  const on = { state: 'on' } as const;
  return [
    ...agents.map(({ name, description = '', file }) => ({
      kind: 'agent',
      name,
      description,
      source: file,
      ...on,
    })),
    ...commands.map(({ name, description, source }) => ({
      kind: 'command',
      name: `/${name}`,
      description,
      source,
      ...on,
    })),
    ...skills.map(({ name, description, file }) => ({
      kind: 'skill',
      name,
      description,
      source: file,
      ...on,
    })),
    ...extensions.names.map((name) => ({ kind: 'extension', name, description: '', source: '', ...on })),
    ...off.map(({ kind, name, summary }) => ({
      kind,
      name,
      description: summary,
      source: 'project',
      state: 'off' as const,
    })),
  ];
}

type CustomIo = Pick<Io, 'cwd' | 'env' | 'home' | 'platform' | 'files' | 'importPrompts'>;

/** An extension that takes longer to load is not used. Milliseconds. */
const loadTimeout = 10_000;

/** Larger files are no extensions. Bytes. */
const mostBytes = 2_000_000;

/** The tools that an extension cannot replace. */
const ownTools: readonly string[] =
  'read write edit bash bash_output bash_kill grep find ls todo recall search_code skill task context_board fetch plan tool_search'.split(
    ' ',
  );

/**
 * Reads agents, commands and extensions of the user and of the project; of the project only what is trusted.
 *
 * @example
 * const { agents, commands } = await readCustomizations({ io, values, isTrusted: trust.has, onProblem });
 */
export async function readCustomizations({
  io,
  values,
  isTrusted,
  onProblem,
}: {
  readonly io: CustomIo;
  readonly values: Pick<Settings, 'custom'>;
  readonly isTrusted: (item: TrustItem) => boolean;
  /** Called with one line for everything that cannot be used. */
  readonly onProblem: (text: string) => void;
}): Promise<Customizations> {
  const { agents, commands, extensions } = await find({ io, values, onSkipped: onProblem });
  const off: TrustItem[] = [];
  const isOn = (item: TrustItem, isProject: boolean) => {
    const isUsed = !isProject || isTrusted(item);
    if (!isUsed) off.push(item);
    return isUsed;
  };
  const loaded: LoadedExtension[] = [];
  for (const one of extensions) {
    if (!isOn(extensionItem({ io, one }), one.isProject)) continue;
    const exports = await load({ io, file: one.file, onProblem });
    if (exports) loaded.push({ file: one.file, exports });
  }
  guard({ files: loaded.map(({ file }) => file), onProblem });
  const active = activateExtensions({ loaded, cwd: io.cwd, taken: ownTools, onProblem });
  const own = commands.filter((command) => isOn(commandItem(command), command.isProject));
  const names = new Set(own.map(({ name }) => name));
  return {
    agents: agents.filter((agent) => isOn(agentItem(agent), agent.isProject)),
    commands: [...own, ...active.commands.filter(({ name }) => !names.has(name))],
    extensions: active,
    off,
  };
}

/**
 * What the project has of them, for the question of trust. Nothing is executed.
 *
 * @example
 * const items = await customItems({ io, values });
 */
export async function customItems({
  io,
  values,
}: {
  readonly io: Omit<CustomIo, 'importPrompts'>;
  readonly values: Pick<Settings, 'custom'>;
}): Promise<TrustItem[]> {
  const { agents, commands, extensions } = await find({ io, values, onSkipped: () => undefined });
  return [
    ...extensions.flatMap((one) => (one.isProject ? [extensionItem({ io, one })] : [])),
    ...agents.flatMap((agent) => (agent.isProject ? [agentItem(agent)] : [])),
    ...commands.flatMap((command) => (command.isProject ? [commandItem(command)] : [])),
  ];
}

interface ExtensionFile {
  readonly file: string;
  readonly isProject: boolean;
  readonly text: string;
}

async function find(of: {
  readonly io: Omit<CustomIo, 'importPrompts'>;
  readonly values: Pick<Settings, 'custom'>;
  readonly onSkipped: (why: string) => void;
}) {
  const { io, onSkipped } = of;
  const { custom } = of.values;
  const { join, dirname } = pathOf(io);
  const config = dirname(userFilePath({ io }));
  const userFolders = (kind: string) => [join(config, kind), join(io.home, '.claude', kind)];
  const { cwd } = io;
  return {
    agents: custom.agents ? await findAgents({ cwd, folders: userFolders('agents'), onSkipped }) : [],
    commands: custom.commands ? await findCommands({ cwd, folders: userFolders('commands'), onSkipped }) : [],
    extensions: custom.extensions
      ? [
          ...(await extensionsIn({ io, folder: join(cwd, '.longhaul', 'extensions'), isProject: true, onSkipped })),
          ...(await extensionsIn({ io, folder: join(config, 'extensions'), isProject: false, onSkipped })),
        ]
      : [],
  };
}

async function extensionsIn(of: {
  readonly io: Omit<CustomIo, 'importPrompts'>;
  readonly folder: string;
  readonly isProject: boolean;
  readonly onSkipped: (why: string) => void;
}): Promise<ExtensionFile[]> {
  const { io, folder, isProject } = of;
  const items = await io.files.list(folder).catch(() => []);
  const names = items.flatMap(({ name, kind }) => (kind === 'file' && isSource(name) ? [name] : []));
  const found: ExtensionFile[] = [];
  for (const name of names.toSorted()) {
    const file = pathOf(io).join(folder, name);
    const limit = { bytes: mostBytes, hint: 'Make it smaller.' };
    const text = await readText({ name: file, from: { files: io.files, path: file }, limit }).catch(() => undefined);
    if (text === undefined) of.onSkipped(`The extension ${file} is not used: it is empty, too large or not readable.`);
    // Consent covers the content of this file, and nothing that it would import.
    else if (isProject && importsFiles.test(text))
      of.onSkipped(
        `The extension ${file} is not used: an extension of a project must be one file, but it imports others.`,
      );
    else found.push({ file, isProject, text });
  }
  return found;
}

const importsFiles = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}['"`]\.{1,2}\//;

function isSource(name: string): boolean {
  return /\.(?:ts|mts|js|mjs)$/.test(name) && !/\.d\.m?ts$/.test(name);
}

/** Executes the file of an extension; `undefined` after one line about what is wrong. */
async function load(of: {
  readonly io: CustomIo;
  readonly file: string;
  readonly onProblem: (text: string) => void;
}): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { io, file, onProblem } = of;
  let timer: NodeJS.Timeout | undefined;
  try {
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it did not load within ${loadTimeout / 1000} seconds`)), loadTimeout);
    });
    const { exports, close } = await Promise.race([io.importPrompts({ path: file, cwd: io.cwd }), timeout]);
    close();
    return exports;
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    onProblem(`The extension ${file} is not used: ${why}.`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

const reported = new WeakSet<object>();

/** An error that an extension throws outside of a call costs one line, not the session. */
function guard({
  files,
  onProblem,
}: {
  readonly files: readonly string[];
  readonly onProblem: (text: string) => void;
}) {
  if (files.length === 0) return;
  process.on('uncaughtException', (error: unknown) => {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    const file = files.find((each) => stack.includes(each));
    // Other errors end the process, as they would without this listener.
    if (file === undefined) throw error;
    if (typeof error === 'object' && error !== null && reported.has(error)) return;
    if (typeof error === 'object' && error !== null) reported.add(error);
    onProblem(`The extension ${file} failed: ${error instanceof Error ? error.message : String(error)}`);
  });
}

function extensionItem({
  io,
  one,
}: {
  readonly io: Pick<Io, 'cwd' | 'platform'>;
  readonly one: ExtensionFile;
}): TrustItem {
  const name = pathOf(io).relative(io.cwd, one.file);
  return { kind: 'extension', name, summary: 'runs code with your rights', content: one.text };
}

function agentItem({ name, description = '', text }: CustomAgent): TrustItem {
  return { kind: 'agent', name, summary: description, content: text };
}

function commandItem({ name, description, content }: CustomCommand): TrustItem {
  const [, allowed] = /^allowed-tools:(.*)$/m.exec(content) ?? [];
  const summary = allowed === undefined ? description : `${description} (allows ${allowed.trim()})`;
  return { kind: 'command', name: `/${name}`, summary, content };
}

/** A prompt that named a command. */
interface CommandPrompt {
  readonly command: CustomCommand;
  /** What is sent: the typed line, then the text of the command. Empty if the command has done its work. */
  readonly parts: readonly TextPart[];
  readonly allow: readonly string[];
  readonly model: string | undefined;
}

/**
 * Runs the custom command that a prompt names: `/review 12`. The typed line is a person's, the text of the command is not:
 * it comes from a file. `undefined` if the text names no command; `near` is the one that was probably meant.
 *
 * @example
 * const { found, near } = await expandPrompt({ text: '/review 12', commands });
 */
export async function expandPrompt({
  text,
  commands,
}: {
  readonly text: string;
  readonly commands: readonly CustomCommand[];
}): Promise<{ readonly found?: CommandPrompt; readonly near?: string }> {
  const line = parseCommandLine(text);
  if (!line) return {};
  const command = commands.find(({ name }) => name === line.name);
  if (!command) {
    const near = closest({ word: line.name, candidates: commands.map(({ name }) => name) });
    return near === undefined ? {} : { near };
  }
  const prompt = await expand({ command, line });
  const typed: TextPart = { type: 'text', origin: 'human', text: text.trim() };
  const sent: TextPart[] = prompt
    ? [typed, { type: 'text', origin: 'engine', text: `The command /${command.name} says:\n\n${prompt.text}` }]
    : [];
  return { found: { command, parts: sent, allow: prompt?.allow ?? [], model: prompt?.model } };
}

async function expand(of: {
  readonly command: CustomCommand;
  readonly line: { readonly arguments: string };
}): ReturnType<CustomCommand['expand']> {
  const { command, line } = of;
  try {
    return await command.expand({ arguments: line.arguments });
  } catch (error) {
    throw new LonghaulError({
      code: 'command-failed',
      message: `The command /${command.name} (${command.source}) failed: ${error instanceof Error ? error.message : String(error)}`,
      hint: 'Fix it, or write the prompt yourself.',
      cause: error,
    });
  }
}

/**
 * A prompt with the custom command that it names, if it names one.
 *
 * @example
 * const { prompt, allow, model } = await withCommand({ prompt, custom, warn });
 */
export async function withCommand({
  prompt,
  custom,
  warn,
}: {
  readonly prompt: Message | undefined;
  readonly custom: Pick<Customizations, 'commands'>;
  readonly warn: (text: string) => void;
}): Promise<{
  readonly prompt: Message | undefined;
  readonly allow: readonly string[];
  readonly model?: string | undefined;
  /** The command has done its work without the model. */
  readonly isDone?: true;
}> {
  const [first, ...rest] = prompt?.parts ?? [];
  if (!prompt || first?.type !== 'text' || first.origin !== 'human') return { prompt, allow: [] };
  const { found, near } = await expandPrompt({ text: first.text, commands: custom.commands });
  if (near !== undefined) warn(`There is no such command, so the text is sent as it is. Did you mean /${near}?`);
  if (!found) return { prompt, allow: [] };
  const { parts, allow, model } = found;
  if (parts.length === 0) return { prompt, allow, isDone: true };
  return { prompt: { ...prompt, parts: [...parts, ...rest] }, allow, model };
}

/**
 * A custom agent by its name, or from a file.
 *
 * @example
 * const profile = await profileOf({ io, wanted: 'reviewer', custom });
 */
export async function profileOf({
  io,
  wanted,
  custom,
}: {
  readonly io: Pick<Io, 'cwd' | 'files'>;
  readonly wanted: string;
  readonly custom: Pick<Customizations, 'agents' | 'off'>;
}): Promise<AgentProfile> {
  const known = custom.agents.find(({ name }) => name === wanted);
  if (known) return known;
  const path = resolve(io.cwd, wanted);
  const isFile = (await io.files.stat(path).catch(() => undefined)) !== undefined;
  if (!isFile && !/[./\\]/.test(wanted)) {
    const isOff = custom.off.some(({ kind, name }) => kind === 'agent' && name === wanted);
    const names = custom.agents.map(({ name }) => name).join(', ');
    throw new LonghaulError({
      code: 'agent-unknown',
      message: `There is no agent "${wanted}".`,
      hint: isOff
        ? 'It belongs to the project and is off until you trust it: longhaul trust'
        : names === ''
          ? 'Give the path of its file, or create .longhaul/agents/NAME.md.'
          : `Known agents: ${names}.`,
    });
  }
  const limit = { bytes: 200_000, hint: 'Shorten the instructions of the agent.' };
  const text = await readText({ name: wanted, from: { files: io.files, path }, limit });
  return readProfile({ text, name: basename(wanted).replace(/(?:\.agent)?\.md$/, '') });
}
