import { dialects } from 'longhaul/message';
import { z } from 'zod';

const mebibyte = 1024 * 1024;

/** Commands of the shell for one event; the shape is described in docs/hooks.md. */
function commands(when: string) {
  const command = z.strictObject({
    command: z.string().min(1),
    timeout: z.number().positive().max(3600).optional(),
    matcher: z.string().optional(),
    env: z.array(z.string().min(1)).optional(),
  });
  // Whoever takes a folder from elsewhere must not run its commands by looking at a session.
  return z.array(command).default([]).describe(`Commands to run ${when}.`).meta({ trusted: true });
}

/**
 * Every setting there is. A new one is added here and nowhere else: its name in files, its environment variable, its
 * flag, `config show`, `config schema` and the table in docs/settings.md follow from it.
 */
export const settingsSchema = z
  .strictObject({
    provider: z
      .enum(['auto', ...dialects])
      .default('auto')
      .describe('Whose rules to check by; `auto` means those of the dialect that the conversation is written in.'),
    color: z
      .enum(['auto', 'always', 'never'])
      .default('auto')
      .describe('When to print in colour; `auto` means on a terminal, unless NO_COLOR is set.'),
    store: z
      .strictObject({
        dir: z
          .string()
          .min(1)
          .default('auto')
          .describe('The folder that sessions are kept in; `auto` means longhaul in the data folder of this user.')
          .meta({ flag: '--store' }),
      })
      .prefault({})
      .describe('Where sessions are kept.'),
    limits: z
      .strictObject({
        fileBytes: z
          .int()
          .min(1)
          // A JavaScript string cannot be much longer.
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The largest input to read, in bytes; a larger one is refused unread.'),
        lineBytes: z
          .int()
          .min(1)
          .max(500 * mebibyte)
          .default(64 * mebibyte)
          .describe('The longest line of a session file to read, in bytes; such a file itself may be of any size.'),
      })
      .prefault({})
      .describe('Bounds that keep a mistake from filling the memory.'),
    hooks: z
      .strictObject({
        PreCompact: commands('before a compaction; exit code 2 blocks it'),
        Compacting: commands('before its summary is made; what they print is told to the summariser'),
        PostCompact: commands('after a compaction'),
        PreMove: commands('before a session goes elsewhere in its tree; exit code 2 blocks it'),
        PostMove: commands('after it went there'),
      })
      .prefault({})
      .describe('Commands that run when a session is compacted or moved.'),
    debug: z.boolean().default(false).describe('Print everything about a failure: its stack and the causes under it.'),
  })
  .meta({ title: 'Longhaul settings' });

/** The settings after all places that may set them were asked. */
export type Settings = z.output<typeof settingsSchema>;

/**
 * What a schema of settings is, so that tests can bring one with kinds of settings that the real one does not have yet.
 */
export type SettingsSchema = z.ZodType<object, object>;

/**
 * Marks a setting as secret: it is never shown, and has no flag, since flags are visible to every user of a machine.
 *
 * @example
 * z.strictObject({ apiKey: secret(z.string().default('').describe('…')) });
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  // JSON Schema's own word for a value that goes in and never comes out.
  return schema.meta({ ...schema.meta(), writeOnly: true });
}
