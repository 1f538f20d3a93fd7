import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export const system = 'You are a careful helper.';

/** The two tools of every agent: JSON schema, the same as a zod schema, and what they do. */
export const tools = [
  tool({
    name: 'bash',
    description: 'Run a shell command',
    argument: 'command',
    run: ({ command }) => execSync(command, { encoding: 'utf8', shell: '/bin/bash', timeout: 10_000 }),
  }),
  tool({
    name: 'read_file',
    description: 'Read a file',
    argument: 'path',
    run: ({ path }) => readFileSync(path, 'utf8'),
  }),
];

/** Runs a tool by name; a failure is a result like any other. */
export function call({ name, input }) {
  try {
    return tools.find((each) => each.name === name).run(input);
  } catch (error) {
    return `error: ${error.message}`;
  }
}

function tool({ name, description, argument, run }) {
  return {
    name,
    description,
    run,
    schema: { type: 'object', properties: { [argument]: { type: 'string' } }, required: [argument] },
    zod: z.object({ [argument]: z.string() }),
  };
}
