import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoopbackAnswer, type LoopbackOptions, type LoopbackRequest, startLoopback } from 'longhaul/testing';
import { command, environment } from '../cli/longhaul.ts';
import { type PseudoTerminal, startTerminal, type TerminalOptions } from './pseudo-terminal.ts';

/** A folder with a small project, a provider on loopback, and the program in terminals. */
export interface TerminalWorld {
  readonly cwd: string;
  readonly open: (options?: Partial<TerminalOptions>) => PseudoTerminal;
  readonly requests: () => number;
  /** What the last request to the provider said. */
  readonly lastRequest: () => string;
  readonly close: () => Promise<void>;
}

/**
 * Opens such a world. By default the model does what the newest message says: `run COMMAND`, `edit`, `stream N`, `slow`,
 * `think`; anything else is repeated.
 *
 * @example
 * const world = await terminalWorld();
 * const terminal = world.open();
 */
export async function terminalWorld({ script = obey, ...options }: LoopbackOptions = {}): Promise<TerminalWorld> {
  const server = await startLoopback({ script, ...options });
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
    lastRequest: () => server.requests.at(-1)?.text ?? '',
    close: async () => {
      for (const terminal of terminals) terminal.close();
      await server.close();
      rmSync(cwd, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The text of the newest message of a person, without what the program added. */
function newest({ body }: LoopbackRequest): { readonly text: string; readonly isResult: boolean } {
  const messages =
    (body as { messages?: { role: string; content: string | { type: string; text?: string }[] }[] }).messages ?? [];
  const { content = '' } = messages.findLast(({ role }) => role === 'user') ?? {};
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    text: parts.find(({ type, text = '' }) => type === 'text' && !text.startsWith('<'))?.text ?? '',
    isResult: parts.some(({ type }) => type === 'tool_result'),
  };
}

async function obey(request: LoopbackRequest): Promise<LoopbackAnswer> {
  const { text, isResult } = newest(request);
  if (isResult) return { text: 'The call is done.' };
  const [word = '', rest = ''] = text.split(/ (.*)/s);
  if (word === 'run') return { toolCalls: [{ name: 'bash', arguments: { command: rest } }] };
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
  if (word === 'slow')
    return { text: `${'slow words '.repeat(400)}The end.`, transport: { chunkBytes: 20, delayMs: 25 } };
  return { text: `You said: **${text.slice(0, 60).split('\n')[0]}**` };
}

/** Sequences that set the title, clear the screen, write the clipboard, color, reverse the direction; in 7 and 8 bits. */
const hostile =
  '\u001b]0;owned\u0007 \u001b[2J \u009b31m \u001b]52;c;aGk=\u0007 \u202egnp.exe \u001bPq~\u001b\\\\ tail of the hostile answer';
