import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from 'longhaul/message';
import { type LoopbackAnswer, type LoopbackRequest, startLoopback } from 'longhaul/testing';
import { environment } from '../cli/longhaul.ts';
import { type PseudoTerminal, startTerminal, type TerminalOptions } from './pseudo-terminal.ts';

/** The built program if it is newer than the sources, as after `npm run build`; otherwise the program from source. */
export const command: readonly [string, ...string[]] = [
  process.execPath,
  join(import.meta.dirname, '../../packages/cli/bin/longhaul.cjs'),
];

/** A folder with a small project, a provider on loopback, and the program in terminals. */
export interface TerminalWorld {
  readonly cwd: string;
  /** Writes a file below the folder; `no-home` in it is the home folder of the user. */
  readonly write: (path: string, content: string | Uint8Array) => void;
  readonly open: (options?: Partial<TerminalOptions>) => PseudoTerminal;
  readonly requests: () => number;
  /** The tokens of all prompts, by the provider's count. */
  readonly promptTokens: () => number;
  /** What the last request to the provider said. */
  readonly lastRequest: () => string;
  readonly close: () => Promise<void>;
}

/**
 * Opens such a world. The model does what the newest message says: `run COMMAND`, `background COMMAND`, `edit`,
 * `stream N`, `slow`, `think`, `todos`, `task COMMAND`, `plan`, `report`, `hostile`, `attack`; anything else is repeated.
 *
 * @example
 * const world = await terminalWorld();
 * const terminal = world.open();
 */
export async function terminalWorld(): Promise<TerminalWorld> {
  let promptTokens = 0;
  const server = await startLoopback({
    script: (request) => {
      promptTokens += request.inputTokens;
      return obey(request);
    },
  });
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-terminal-')));
  mkdirSync(join(cwd, 'src'));
  writeFileSync(
    join(cwd, 'src', 'price.ts'),
    "import { rate } from './rate';\n\nexport const total = (price: number) => price * rate;\n",
  );
  writeFileSync(join(cwd, 'README.md'), '# Shop\n');
  const terminals: PseudoTerminal[] = [];
  return {
    cwd,
    write: (path, content) => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), content);
    },
    open: ({ args = [], env = {}, program = command, ...rest } = {}) => {
      const terminal = startTerminal({
        cwd,
        program,
        args: program === command ? [...args, '--store', join(cwd, 'store')] : args,
        env: {
          ...environment({ home: cwd }),
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'sk-ant-not-a-real-key-1234567890',
          ...env,
        },
        ...rest,
      });
      terminals.push(terminal);
      return terminal;
    },
    requests: () => server.requests.length,
    promptTokens: () => promptTokens,
    lastRequest: () => server.requests.at(-1)?.text ?? '',
    close: async () => {
      for (const terminal of terminals) terminal.close();
      await server.close();
      rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Whether the screen shows that the agent waits for a message. */
export const isIdle = (screen: string): boolean => screen.includes('Ask anything') && !screen.includes('Esc stops');

/** The numbers of the lines that `stream N` writes, as they are in a text. */
export const numbersIn = (text: string): number[] =>
  [...text.matchAll(/line (\d+) of the answer/g)].map(([, number]) => Number(number));

/** The text of the newest message of a person, without what the program added. */
function newest({ body }: LoopbackRequest): { readonly text: string; readonly isResult: boolean } {
  const messages =
    (body as { messages?: { role: string; content: string | { type: string; text?: string }[] }[] }).messages ?? [];
  const { content = '' } = messages.findLast(({ role }) => role === 'user') ?? {};
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const texts = parts.flatMap(({ type, text = '' }) => (type === 'text' && !text.startsWith('<') ? [text] : []));
  // The text of a custom command follows what was typed.
  const [, command] =
    texts.map((text) => /^The command \/\S+ says:\n\n([\s\S]*)/.exec(text)).find((found) => found) ?? [];
  return {
    text: command ?? texts[0] ?? '',
    isResult: parts.some(({ type }) => type === 'tool_result'),
  };
}

async function obey(request: LoopbackRequest): Promise<LoopbackAnswer> {
  const { text: said, isResult } = newest(request);
  // A sub-agent finds its task in the system prompt.
  const [, task] = /delegated this task to you\.[^\n]*\\n\\n(.*?)"/.exec(JSON.stringify(request.body.system)) ?? [];
  const text = task ?? said;
  if (isResult) return { text: 'The call is done.' };
  const [word = '', rest = ''] = text.split(/ (.*)/s);
  const call = (name: string, given: JsonObject): LoopbackAnswer => ({ toolCalls: [{ name, arguments: given }] });
  if (word === 'run') return call('bash', { command: rest });
  if (word === 'background') return call('bash', { command: rest, background: true });
  if (word === 'task') return call('task', { description: 'Look around', prompt: `run ${rest}` });
  if (word === 'think') return { thinking: 'First the tests, then the code.', text: 'I have thought.' };
  if (word === 'plan') return call('plan', { text: '# Goal\n\n1. Write the notes\n2. Check them' });
  if (word === 'report')
    return { text: Array.from({ length: 400 }, (_, at) => `${rest} ${at}: a line of a long report`).join('\n') };
  if (word === 'todos')
    return call('todo', {
      todos: [
        { content: 'Read the code', status: 'completed' },
        { content: 'Write the test', status: 'in_progress' },
        { content: 'Fix the bug', status: 'pending' },
      ],
    });
  if (word === 'edit')
    return {
      text: 'I will change it.',
      toolCalls: [
        {
          name: 'edit',
          arguments: { file_path: 'src/price.ts', old_string: 'price * rate', new_string: 'price * rate * 2' },
        },
      ],
    };
  if (word === 'stream') {
    const lines = Array.from({ length: Number(rest) }, (_, at) => `line ${at + 1} of the answer`);
    return { text: `${lines.join('\n\n')}\n\nThe end.`, transport: { chunkBytes: 64, delayMs: 2 } };
  }
  if (word === 'hostile') return { text: hostile };
  if (word === 'attack')
    return {
      toolCalls: [
        { name: 'todo', arguments: { todos: [{ content: `a task ${hostile}`, status: 'in_progress' }] } },
        { name: 'task', arguments: { description: `a helper ${hostile}`, prompt: `run echo '${hostile}'` } },
        { name: 'bash', arguments: { command: `touch '${hostile}'` } },
      ],
    };
  if (word === 'slow')
    return { text: `${'slow words '.repeat(400)}The end.`, transport: { chunkBytes: 20, delayMs: 25 } };
  return { text: `You said: **${text.slice(0, 60).split('\n')[0]}**` };
}

/** Sequences that set the title, clear the screen, write the clipboard, color, reverse the direction; in 7 and 8 bits. */
export const hostile =
  '\u001b]0;owned\u0007 \u001b[2J \u009b31m \u001b]52;c;aGk=\u0007 \u202egnp.exe \u001bPq~\u001b\\\\ tail of the hostile answer';
