/** `npm run docs:screens`: the pictures of docs/terminal.md and the recording of the README, from the program itself. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LoopbackAnswer, startLoopback } from 'longhaul/testing';
import { keyTable } from '../../packages/cli/src/tui/index.ts';
import { keys, type PseudoTerminal, startTerminal } from '../../test/terminal/pseudo-terminal.ts';
import { animationSvg, type RecordedScreen, screenLines, screenSvg, sizeOf } from './svg.ts';

const pictures = join(import.meta.dirname, '../../docs/images');
const page = join(import.meta.dirname, '../../docs/terminal.md');
const main = join(import.meta.dirname, '../../packages/cli/src/main.ts');

const steady = { delayMs: 25 };

const answers: readonly LoopbackAnswer[] = [
  {
    text: 'I will look at the code and its tests first.',
    toolCalls: [
      { name: 'read', arguments: { file_path: 'src/price.ts' } },
      { name: 'bash', arguments: { command: 'git log --oneline' } },
    ],
    transport: steady,
  },
  {
    text: 'The discount is a share of the price, so it belongs into `total`:',
    toolCalls: [
      {
        name: 'edit',
        arguments: {
          file_path: 'src/price.ts',
          old_string: 'export function total(price: number, count: number): number {\n  return price * count;',
          new_string:
            'export function total(price: number, count: number, discount = 0): number {\n  return price * count * (1 - discount);',
        },
      },
    ],
    transport: steady,
  },
  {
    text: `## Done

\`total\` takes a **discount** between 0 and 1, which defaults to none, so callers stay as they are:

\`\`\`ts
// a tenth off
const sum = total(12.5, 4, 0.1);
console.log(sum); // 45
\`\`\`

| case | before | now |
|---|---|---|
| no discount | 50 | 50 |
| a tenth off | - | 45 |

1. The tests still pass; add one for \`discount\`.
2. The rounding of cents is as before, see [the notes](https://example.com/notes).
`,
    transport: steady,
  },
];

const text = readFileSync(page, 'utf8');
writeFileSync(
  page,
  text.replace(
    /(<!-- keys: [^>]*-->\n)[\s\S]*(?=<!-- end of keys -->)/,
    (_, start: string) => `${start}\n${keyTable()}\n`,
  ),
);
mkdirSync(pictures, { recursive: true });
const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhaul-screens-')));
const cwd = join(root, 'shop');
mkdirSync(join(cwd, 'src'), { recursive: true });
writeFileSync(
  join(cwd, 'src', 'price.ts'),
  '/** What several of one thing cost. */\nexport function total(price: number, count: number): number {\n  return price * count;\n}\n',
);
writeFileSync(join(cwd, 'README.md'), '# Shop\n');
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd, stdio: 'ignore' });
git('init', '-q', '-b', 'main');
git('add', '-A');
git('commit', '-q', '-m', 'Prices');
const server = await startLoopback({ script: answers });
try {
  await record({ theme: 'dark' });
} finally {
  await server.close();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

async function record({ theme }: { readonly theme: 'dark' | 'light' }): Promise<void> {
  const terminal = startTerminal({
    program: [process.execPath, '--conditions=longhaul-source', main],
    args: ['--store', join(root, 'store'), '--allow', 'bash(git log:*)'],
    cwd,
    columns: 92,
    rows: 28,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: root,
      TERM: 'xterm-256color',
      COLORTERM: 'truecolor',
      LANG: 'C.UTF-8',
      LONGHAUL_TERMINAL_THEME: theme,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'dummy-key',
    },
  });
  const screens: RecordedScreen[] = [];
  const take = (seconds: number) => {
    screens.push({ lines: screenLines({ emulator: terminal.emulator, theme }), seconds });
  };
  const picture = (name: string, title: string) => {
    writeFileSync(join(pictures, `${name}.svg`), screenSvg({ emulator: terminal.emulator, theme, title }));
    console.log(`docs/images/${name}.svg`);
  };
  await terminal.until('Ask anything');
  take(1.2);
  await typed({ terminal, text: 'Add a discount to @src/price.ts', take });
  terminal.type(keys.enter);
  await sampled({ terminal, take, until: 'Allow edit?' });
  take(2.5);
  picture('terminal-question', 'A question about a change');
  terminal.type('y');
  await sampled({ terminal, take, until: (screen) => screen.includes('the notes') && !screen.includes('Esc stops') });
  take(4);
  picture('terminal-conversation', 'A conversation');
  writeFileSync(
    join(pictures, 'terminal.svg'),
    animationSvg({ screens, theme, title: 'longhaul', size: sizeOf(terminal.emulator) }),
  );
  console.log(`docs/images/terminal.svg: ${screens.length} screens`);
  terminal.type('/context');
  await terminal.until('› /context');
  terminal.type(keys.enter);
  await terminal.until('compaction due at');
  await terminal.until('Ask anything');
  picture('terminal-context', '/context');
  terminal.type('/');
  await terminal.until('1 of');
  picture('terminal-completion', 'Completion of commands');
  terminal.type(keys.escape);
  await terminal.until((screen) => !screen.includes('1 of'));
  terminal.type(keys.ctrl('u'));
  await terminal.until('Ask anything');
  terminal.type('/tree');
  await terminal.until('› /tree');
  terminal.type(keys.enter);
  await terminal.until('Enter moves here');
  picture('terminal-tree', '/tree');
  terminal.type(keys.escape);
  await terminal.until('Ask anything');
  terminal.type(keys.ctrl('d'));
  await terminal.ended;
}

async function typed({
  terminal,
  text,
  take,
}: {
  readonly terminal: PseudoTerminal;
  readonly text: string;
  readonly take: (seconds: number) => void;
}): Promise<void> {
  for (let at = 0; at < text.length; at += 1) {
    terminal.type(text.charAt(at));
    await terminal.until(text.slice(0, at + 1));
    if (at % 3 === 2) take(0.12);
  }
  take(0.5);
}

/** Takes a screen every so often until a text is shown. */
async function sampled({
  terminal,
  take,
  until,
}: {
  readonly terminal: PseudoTerminal;
  readonly take: (seconds: number) => void;
  readonly until: string | ((screen: string) => boolean);
}): Promise<void> {
  const timer = setInterval(() => take(0.15), 150);
  await terminal.until(until);
  clearInterval(timer);
}
