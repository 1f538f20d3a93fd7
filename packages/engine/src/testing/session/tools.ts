import type { ToolDefinition } from '../../message/index.ts';
import type { Random } from '../random.ts';
import { code, json, log, path, sentence } from './content.ts';

/** One tool call and its result. */
export interface ToolUse {
  readonly name: string;
  readonly arguments: object;
  readonly output: string;
  readonly isError: boolean;
}

const parameter = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: [...names],
});

/** The tools of generated sessions, as declared in a request. */
export const sessionTools: readonly ToolDefinition[] = [
  { name: 'read', description: 'Reads a file.', inputSchema: parameter('path') },
  { name: 'edit', description: 'Replaces text in a file.', inputSchema: parameter('path', 'old', 'new') },
  { name: 'bash', description: 'Runs a command.', inputSchema: parameter('command') },
  { name: 'grep', description: 'Searches files.', inputSchema: parameter('pattern') },
  { name: 'fetch', description: 'Calls an API.', inputSchema: parameter('url') },
];

export function toolUse(random: Random, options: { readonly lines: number; readonly errorRate: number }): ToolUse {
  const { lines } = options;
  if (random.chance(options.errorRate)) {
    const file = path(random);
    return { name: 'read', arguments: { path: file }, output: `ENOENT: no such file: ${file}`, isError: true };
  }
  const use = (name: string, args: object, output: string): ToolUse => ({
    name,
    arguments: args,
    output,
    isError: false,
  });
  switch (random.int(0, 4)) {
    case 0:
      return use('read', { path: path(random) }, code(random, lines));
    case 1:
      return use('edit', { path: path(random), old: code(random, 2), new: code(random, 3) }, 'Edited 1 place.');
    case 2:
      return use(
        'bash',
        { command: `npm test -- ${path(random)}` },
        `${log(random, lines)}\nexit code ${random.int(0, 1)}`,
      );
    case 3:
      return use(
        'grep',
        { pattern: Array.from(sentence(random)).slice(0, 12).join('') },
        `${path(random)}:${random.int(1, 99)}: match`,
      );
    default:
      return use('fetch', { url: `https://example.com/${random.int(0, 99)}` }, json(random, lines));
  }
}
