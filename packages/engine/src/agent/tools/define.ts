import { LonghaulError } from '../../errors.ts';
import type { ContentPart, Json, JsonObject } from '../../message/index.ts';
import type { Access } from '../permission.ts';
import type { Tool, ToolOutcome, ToolRun } from '../tool.ts';
import { readArguments, type ToolArguments } from './arguments.ts';

/** A short declaration of a tool: arguments, target, work. */
export interface ToolDeclaration<Target> {
  readonly name: string;
  readonly description: string;
  /** Arguments by name, in the order in which models write them. */
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  /** Reads the arguments and resolves the target. Has no side effects. */
  readonly target: (args: ToolArguments) => Target | Promise<Target>;
  readonly access?: (target: Target) => Access;
  readonly run: (call: Omit<ToolRun, 'input'> & { readonly target: Target }) => Promise<ToolOutcome>;
  readonly preview?: (target: Target) => Promise<string | undefined>;
  readonly isBound?: true;
  readonly beginTurn?: () => void;
  readonly close?: () => Promise<void>;
}

/**
 * Creates a tool from a declaration. The target of a call is resolved once, so what was approved is what runs, even if
 * a link changes in between. Failures are results that the model can read.
 */
export function defineTool<Target>(plan: ToolDeclaration<Target>): Tool {
  const { name, description, properties, required = [] } = plan;
  const known = Object.keys(properties);
  const aimed = new WeakMap<JsonObject, Promise<Target>>();
  const { preview } = plan;
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  return {
    definition: { name, description, inputSchema },
    async access(input) {
      const target = aim(input);
      aimed.set(input, target);
      try {
        return plan.access?.(await target) ?? { kind: 'none' };
      } catch {
        // The result reports the error; nothing is accessed before.
        return { kind: 'none' };
      }
    },
    async run({ input, ...call }) {
      try {
        const target = aimed.get(input) ?? aim(input);
        aimed.delete(input);
        return await plan.run({ ...call, target: await target });
      } catch (error) {
        return toolError(sentenceOf(error));
      }
    },
    ...(preview && {
      async preview(input: JsonObject) {
        try {
          return await preview(await (aimed.get(input) ?? aim(input)));
        } catch {
          // A call that cannot work has no preview; its result says why.
          return undefined;
        }
      },
    }),
    ...(plan.isBound && { isBound: true }),
    ...(plan.beginTurn && { beginTurn: plan.beginTurn }),
    ...(plan.close && { close: plan.close }),
  };

  async function aim(input: JsonObject): Promise<Target> {
    return await plan.target(readArguments({ input, tool: name, known }));
  }
}

export function toolText(text: string, details?: Json): ToolOutcome {
  return { content: [textPart(text)], ...(details !== undefined && { details }) };
}

export function toolError(text: string, details?: Json): ToolOutcome {
  return { ...toolText(text, details), isError: true };
}

export function textPart(text: string): ContentPart {
  return { type: 'text', origin: 'tool', text };
}

/** The message of a failure; an unexpected error at least says what the system reported. */
function sentenceOf(error: unknown): string {
  if (LonghaulError.is(error)) return `${error.message} ${error.hint}`;
  return `It failed: ${error instanceof Error ? error.message : String(error)}`;
}
