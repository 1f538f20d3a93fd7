import { z } from 'zod';
import type { SettingsSchema } from './schema.ts';

/** One setting, with all its names. */
export interface Setting {
  /** The key path in files, e.g. `limits.fileBytes`. */
  readonly key: string;
  /** The environment variable, e.g. `LONGHAUL_LIMITS_FILE_BYTES`; lists have none. */
  readonly variable: string | undefined;
  /** The flag, e.g. `--limits-file-bytes`, or the one in the schema's `meta`; secrets and lists have none. */
  readonly flag: string | undefined;
  readonly kind: 'boolean' | 'number' | 'text' | 'list';
  /** What it accepts, phrased to follow "must be". */
  readonly accepts: string;
  /** The choices, if there is a fixed list. */
  readonly choices: readonly string[];
  readonly description: string;
  /** `undefined` if the setting has no default. */
  readonly fallback: unknown;
  readonly secret: boolean;
  /** Whether it may run or send something; a project file then cannot set it. */
  readonly trusted: boolean;
}

/**
 * All settings of a schema, in its order.
 *
 * @example
 * settingsOf({ schema: settingsSchema }).map(({ key }) => key); // ['provider', 'color', …]
 */
export function settingsOf({ schema }: { readonly schema: SettingsSchema }): readonly Setting[] {
  const known = settings.get(schema);
  if (known) return known;
  const all = leavesOf({ node: z.toJSONSchema(schema, { io: 'input' }), path: [] });
  settings.set(schema, all);
  return all;
}

const settings = new WeakMap<SettingsSchema, readonly Setting[]>();

/** The JSON Schema of a settings file. */
export function jsonSchemaOf({ schema }: { readonly schema: SettingsSchema }): JsonSchema {
  // Editors do not need the names of flags.
  return z.toJSONSchema(schema, { io: 'input', override: ({ jsonSchema }) => forget(jsonSchema) });
}

export type JsonSchema = z.core.JSONSchema.BaseSchema;

function forget(schema: JsonSchema): void {
  delete schema.flag;
  delete schema.accepts;
  delete schema.trusted;
}

function leavesOf({ node, path }: { node: JsonSchema; path: readonly string[] }): Setting[] {
  if (!node.properties) return [settingOf({ node, path })];
  return Object.entries(node.properties).flatMap(([name, member]) =>
    typeof member === 'boolean' ? [] : leavesOf({ node: member, path: [...path, name] }),
  );
}

function settingOf({ node, path }: { node: JsonSchema; path: readonly string[] }): Setting {
  const words = path.map((name) => name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)).join('-');
  const secret = node.writeOnly === true;
  const kind = kindOf({ node });
  return {
    key: path.join('.'),
    variable: kind === 'list' ? undefined : `LONGHAUL_${words.replaceAll('-', '_').toUpperCase()}`,
    // Frequently typed flags may have a shorter name than their key.
    flag: secret || kind === 'list' ? undefined : typeof node.flag === 'string' ? node.flag : `--${words}`,
    kind,
    accepts: acceptsOf({ node }),
    choices: (node.enum ?? []).filter((choice) => typeof choice === 'string'),
    description: node.description ?? '',
    fallback: node.default,
    secret,
    trusted: node.trusted === true,
  };
}

function kindOf({ node }: { node: JsonSchema }): Setting['kind'] {
  // Lists and maps are written in files only.
  if (node.type === 'array' || node.type === 'object') return 'list';
  if (node.type === 'boolean') return 'boolean';
  return node.type === 'integer' || node.type === 'number' ? 'number' : 'text';
}

function listOf({ items }: { items: JsonSchema['items'] }): string {
  const { properties = {} } = typeof items === 'object' && !Array.isArray(items) ? items : {};
  return `a list of objects with ${Object.keys(properties).join(', ')}`;
}

function acceptsOf({ node }: { node: JsonSchema }): string {
  // Constraints that JSON Schema cannot express.
  if (typeof node.accepts === 'string') return node.accepts;
  if (node.enum) return `one of ${node.enum.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (node.type === 'boolean') return 'true or false';
  if (node.type === 'array') return listOf({ items: node.items });
  if (node.type !== 'integer' && node.type !== 'number') return 'text';
  const noun = node.type === 'integer' ? 'an integer' : 'a number';
  const { minimum, maximum } = node;
  // Zod bounds every integer by JavaScript's safe range, which is not worth mentioning.
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) {
    return bounded ? `${noun} from ${minimum} to ${maximum}` : `${noun}, at least ${minimum}`;
  }
  return bounded ? `${noun}, at most ${maximum}` : noun;
}
