import { isObject } from '../../json.ts';
import type { Json, JsonObject } from '../../message/index.ts';
import type { AgentHooks } from '../hooks/hooks.ts';
import { plain } from '../plain-text.ts';
import type { Tool, ToolOutcome, ToolRun } from '../tool.ts';
import type { CustomCommand } from './custom-command.ts';

/** A tool of an extension. A text is a result; an exception is an error result that the model can read. */
export interface ExtensionTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments; default: none. */
  readonly inputSchema?: JsonObject;
  /** What a call would access, for the permission decision; default: nothing outside the conversation. */
  access?(input: JsonObject): ReturnType<Tool['access']>;
  run(call: ToolRun): Promise<ToolOutcome | string> | ToolOutcome | string;
}

/** A command of an extension, typed as `/name arguments`. */
export interface ExtensionCommand {
  readonly name: string;
  readonly description: string;
  readonly argumentHint?: string;
  /** Returns what is sent to the model; nothing is sent without a text. */
  run(input: { readonly arguments: string; readonly cwd: string }): Promise<string | undefined> | string | undefined;
}

/** A finished call, for a renderer. */
export interface RenderedCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly text: string;
  readonly isError: boolean;
  readonly details?: Json;
}

/** What one file adds to the agent. */
export interface Extension {
  readonly name: string;
  readonly tools?: readonly ExtensionTool[];
  readonly commands?: readonly ExtensionCommand[];
  readonly hooks?: AgentHooks;
  /** How results of tools are shown, by the name of the tool: lines of text, or `undefined` for the usual form. */
  readonly renderers?: Readonly<Record<string, (call: RenderedCall) => string | undefined>>;
}

/**
 * Declares an extension. A file in `.longhaul/extensions` or `~/.config/longhaul/extensions` exports it as `extension`.
 *
 * @example
 * export const extension = defineExtension({
 *   name: 'clock',
 *   tools: [{ name: 'clock', description: 'Tells the time.', run: () => new Date().toISOString() }],
 * });
 */
export function defineExtension(extension: Extension): Extension {
  return extension;
}

/** A file of an extension that was executed. */
export interface LoadedExtension {
  readonly file: string;
  readonly exports: Readonly<Record<string, unknown>>;
}

/** What extensions add, ready to use. */
export interface ActiveExtensions {
  readonly names: readonly string[];
  readonly tools: readonly Tool[];
  readonly commands: readonly CustomCommand[];
  readonly hooks: readonly AgentHooks[];
  /** The text for a finished call; `undefined` for the usual form. Never throws. */
  readonly render: (call: RenderedCall) => string | undefined;
}

/** Longer texts of a renderer are cut. Characters. */
const longestText = 20_000;

/**
 * Activates extensions. What is wrong with one is reported in one line and costs only that part: an invalid file, a name
 * that is taken, a renderer that throws.
 *
 * @example
 * const { tools, hooks } = activateExtensions({ loaded: [], cwd, taken: ['read', 'bash'], onProblem: console.warn });
 */
export function activateExtensions({
  loaded,
  cwd,
  taken,
  onProblem,
}: {
  readonly loaded: readonly LoadedExtension[];
  readonly cwd: string;
  /** Names of tools that exist already. */
  readonly taken: readonly string[];
  readonly onProblem: (text: string) => void;
}): ActiveExtensions {
  const tools = new Map<string, Tool>();
  const commands = new Map<string, CustomCommand>();
  const hooks: AgentHooks[] = [];
  const renderers = new Map<string, { readonly by: string; readonly render: (call: RenderedCall) => unknown }>();
  const names: string[] = [];
  for (const { file, exports } of loaded) {
    const { extension } = exports;
    if (!isExtension(extension)) {
      onProblem(`The extension ${file} is not used: it must export \`extension\`, made with defineExtension.`);
      continue;
    }
    const by = `extension ${extension.name}`;
    names.push(extension.name);
    for (const tool of listOf(extension.tools)) {
      const isTaken = taken.includes(tool.name) || tools.has(tool.name);
      const problem = isTaken ? 'the name is taken' : toolProblem(tool);
      if (problem === undefined) tools.set(tool.name, toolOf(tool));
      else onProblem(`The tool ${String(tool.name)} of the ${by} is not used: ${problem}.`);
    }
    for (const command of listOf(extension.commands)) {
      const isTaken = commands.has(command.name);
      const problem = isTaken ? 'the name is taken' : commandProblem(command);
      if (problem === undefined) commands.set(command.name, commandOf({ command, cwd, by }));
      else onProblem(`The command ${String(command.name)} of the ${by} is not used: ${problem}.`);
    }
    if (isObject(extension.hooks)) hooks.push(extension.hooks as AgentHooks);
    for (const [tool, render] of Object.entries(extension.renderers ?? {}))
      if (typeof render === 'function' && !renderers.has(tool)) renderers.set(tool, { by, render });
  }
  return {
    names,
    tools: [...tools.values()],
    commands: [...commands.values()],
    hooks,
    render(call) {
      const renderer = renderers.get(call.tool);
      if (!renderer) return undefined;
      try {
        const text = renderer.render(call);
        return typeof text === 'string' ? plain(text.slice(0, longestText)) : undefined;
      } catch (error) {
        renderers.delete(call.tool);
        onProblem(`The renderer for ${call.tool} of the ${renderer.by} failed and is off: ${reasonOf(error)}`);
        return undefined;
      }
    },
  };
}

function isExtension(value: unknown): value is Extension {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

function toolProblem({ name, description, run }: ExtensionTool): string | undefined {
  if (typeof name !== 'string' || !/^\w[\w-]{0,63}$/.test(name))
    return 'its name may have letters, digits and dashes only';
  if (typeof description !== 'string') return 'it has no description';
  return typeof run === 'function' ? undefined : 'it has no function `run`';
}

function commandProblem({ name, description, run }: ExtensionCommand): string | undefined {
  if (typeof name !== 'string' || !/^\w[\w.:-]{0,99}$/.test(name))
    return 'its name may have letters, digits and dashes only';
  if (typeof description !== 'string') return 'it has no description';
  return typeof run === 'function' ? undefined : 'it has no function `run`';
}

function toolOf(tool: ExtensionTool): Tool {
  const { name, description, inputSchema = { type: 'object', properties: {} } } = tool;
  return {
    definition: { name, description, inputSchema },
    access: (input) => tool.access?.(input) ?? { kind: 'none' },
    run: async (call) => {
      const result = await tool.run(call);
      return typeof result === 'string' ? { content: [{ type: 'text', origin: 'tool', text: result }] } : result;
    },
    // What it does is not known, so an interrupted call is not repeated.
    isOnce: true,
  };
}

function commandOf(of: {
  readonly command: ExtensionCommand;
  readonly cwd: string;
  readonly by: string;
}): CustomCommand {
  const { command, cwd, by } = of;
  const { name, description, argumentHint } = command;
  return {
    name,
    description,
    ...(argumentHint !== undefined && { argumentHint }),
    source: by,
    isProject: false,
    content: '',
    async expand(input) {
      const text = await command.run({ arguments: input.arguments, cwd });
      return typeof text === 'string' && text.trim() !== '' ? { text } : undefined;
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
