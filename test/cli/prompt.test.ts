import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';

/** A folder with files in it, and the command in that folder. */
function project(files: Readonly<Record<string, string>>) {
  const cwd = folder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const prompt = (...args: readonly string[]) => longhaul({ args: ['prompt', ...args], cwd });
  const texts = async (file: string, ...more: readonly string[]) => {
    const { code, stdout } = await prompt(
      'render',
      file,
      '--budget',
      '1000',
      '--tokenizer',
      'letters',
      '--json',
      ...more,
    );
    const value = JSON.parse(stdout);
    return {
      code,
      ...value,
      texts: value.messages?.map((each: { content: { text: string }[] }) => each.content[0]?.text),
    };
  };
  return { cwd, prompt, texts };
}

const own = `import { UserMessage } from 'longhaul/prompt';
interface Props { readonly who: string }
enum Greeting { Short = 'Hi' }
export const props: Props = { who: 'Ada' };
export default function Hello({ who }: Props) {
  return <><UserMessage priority={1}>{Greeting.Short} {who}</UserMessage></>;
}
`;

describe('how a file may be written', () => {
  test('with the automatic runtime, types and enums, in a folder that knows nothing of us', async () => {
    expect(await project({ 'a.tsx': own }).texts('a.tsx')).toMatchObject({ code: 0, texts: ['Hi Ada'] });
  });

  test('as an element, made when it is imported', async () => {
    const file = `import { h, UserMessage } from 'longhaul/prompt';\nexport const prompt = h(UserMessage, {}, 'made');\n`;
    expect((await project({ 'a.js': file }).texts('a.js')).texts).toEqual(['made']);
  });

  test('with the factory of prompt-tsx, named in the file', async () => {
    const file = `/** @jsx vscpp */
/** @jsxFrag vscppf */
import { PromptElement, UserMessage } from '@vscode/prompt-tsx';
export default class Old extends PromptElement { render() { return <><UserMessage>old</UserMessage></>; } }
`;
    expect((await project({ 'a.tsx': file }).texts('a.tsx')).texts).toEqual(['old']);
  });

  test('with the factory that tsconfig.json names, through what it extends', async () => {
    const { texts } = project({
      'base.json':
        '{ "compilerOptions": { "jsx": "react", "jsxFactory": "make", /* ours */ "jsxFragmentFactory": "Fragment", } }',
      'tsconfig.json': '{ // as before\n "extends": "./base.json" }',
      'src/a.tsx': `import { Fragment, h as make, UserMessage } from 'longhaul/prompt';
export const prompt = <><UserMessage>made</UserMessage></>;
`,
    });
    expect((await texts('src/a.tsx')).texts).toEqual(['made']);
  });

  test('with other files next to it', async () => {
    const { texts } = project({
      'a.tsx': `import { Part } from './parts/part.tsx';\nimport { words } from './words.ts';\nexport default () => <Part words={words} />;\n`,
      'parts/part.tsx': `import { UserMessage } from 'longhaul/prompt';\nexport const Part = ({ words }: { words: string }) => <UserMessage>{words}</UserMessage>;\n`,
      'words.ts': `export const words: string = 'from elsewhere';\n`,
    });
    expect((await texts('a.tsx')).texts).toEqual(['from elsewhere']);
  });

  test('for the rules of prompt-tsx: what is too large there is empty and no error', async () => {
    const file = (from: string) =>
      `import { UserMessage } from '${from}';\nexport default () => <UserMessage>${'x'.repeat(2000)}</UserMessage>;\n`;
    const { texts } = project({ 'old.tsx': file('longhaul/prompt/compat'), 'new.tsx': file('longhaul/prompt') });
    expect(await texts('old.tsx')).toMatchObject({ code: 0, messages: [] });
    expect(await texts('new.tsx')).toMatchObject({ code: 1, error: { code: 'nothing-fits' } });
  });
});

describe('what cannot be used is said in one sentence', () => {
  test.each([
    [
      'a syntax error, with its place',
      'a.tsx',
      'export const a = 1;\nexport default <b>;\n',
      2,
      /^longhaul: a\.tsx:2:\d+ cannot be compiled: .+\.\n {2}.+\n$/,
    ],
    ['one in a file that it imports', 'a.tsx', `import './b.tsx';\n`, 2, /^longhaul: b\.tsx:1:\d+ cannot be compiled/],
    ['no prompt', 'a.ts', 'export const answer = 42;\n', 2, /^longhaul: a\.ts exports no prompt, only answer\.\n/],
    [
      'something else than a prompt',
      'a.ts',
      'export const prompt = 42;\n',
      2,
      /^longhaul: The prompt that a\.ts exports is neither an element nor a class nor a function\.\n/,
    ],
    ['a file that fails', 'a.ts', "throw new Error('boom');\n", 2, /^longhaul: a\.ts failed to load: boom\.\n/],
    [
      'an import that is not there',
      'a.ts',
      "import './nowhere.ts';\n",
      2,
      /^longhaul: a\.ts failed to load: Cannot find module/,
    ],
    [
      'an element that fails',
      'a.ts',
      "export default () => { throw new Error('no data'); };\n",
      2,
      /^longhaul: a\.ts failed to render: no data/,
    ],
  ])('%s', async (_, name, text, code, said) => {
    const { prompt } = project({ [name]: text, 'b.tsx': '<' });
    const ended = await prompt('render', name, '--budget', '100');
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(said);
  });

  test.each([
    ['a file that is not there', ['render', 'no.tsx', '--budget', '9'], 'no.tsx does not exist.'],
    ['a folder', ['render', '.', '--budget', '9'], '. is a folder, not a file.'],
    ['no budget', ['render', 'a.tsx'], '--budget is missing'],
    ['a budget that is none', ['render', 'a.tsx', '--budget', '-3'], '--budget must be an integer of at least 1'],
    ['another tokenizer', ['render', 'a.tsx', '--budget', '9', '--tokenizer', 'o200k'], 'Unknown tokenizer "o200k".'],
    ['props that are none', ['render', 'a.tsx', '--budget', '9', '--props', '[1]'], '--props must be a JSON object'],
    [
      'a policy that is none',
      ['render', 'a.tsx', '--budget', '9', '--breakpoints', 'no'],
      '--breakpoints must be one of',
    ],
    [
      'two ways out',
      ['trace', 'a.tsx', '--budget', '9', '-o', 'x.html', '--serve'],
      '--serve and --output cannot be used together.',
    ],
  ])('%s', async (_, args, said) => {
    const ended = await project({ 'a.tsx': own }).prompt(...args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(said);
  });

  test('nothing that fits: the answer is no', async () => {
    const ended = await project({ 'a.tsx': own }).prompt('render', 'a.tsx', '--budget', '1');
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('Nothing of the prompt fits 1 tokens');
  });
});

test('a person reads the messages and what they come to', async () => {
  const { stdout } = await project({ 'a.tsx': own }).prompt(
    'render',
    'a.tsx',
    '--budget',
    '100',
    '--tokenizer',
    'letters',
  );
  expect(stdout).toBe('user\nHi Ada\n\n13 of 100 tokens (letters), 1 message\n');
});

describe('a trace', () => {
  test('is a file, written whole and not over another', async () => {
    const { cwd, prompt } = project({ 'a.tsx': own });
    const first = await prompt('trace', 'a.tsx', '--budget', '100', '-o', 'a.html');
    expect(first.stdout).toMatch(/^a\.tsx is in a\.html \(\d/);
    expect(readFileSync(join(cwd, 'a.html'), 'utf8')).toContain('<title>a.tsx</title>');
    expect(await prompt('trace', 'a.tsx', '--budget', '100', '-o', 'a.html')).toMatchObject({ code: 2 });
    expect(await prompt('trace', 'a.tsx', '--budget', '90', '-o', 'a.html', '--force')).toMatchObject({ code: 0 });
  });

  test('shows a prompt that does not fit, and says so', async () => {
    const { prompt } = project({ 'a.tsx': own });
    const ended = await prompt('trace', 'a.tsx', '--budget', '1');
    expect(ended).toMatchObject({
      code: 0,
      stderr: 'note: Nothing of the prompt fits 1 tokens: all 1 messages would be pruned.\n',
    });
    expect(ended.stdout).toContain('<!doctype html>');
  });

  test('is served on this machine until Ctrl-C', async () => {
    const { cwd } = project({ 'a.tsx': own });
    const [file, ...first] = command;
    const child = spawn(file, [...first, 'prompt', 'trace', 'a.tsx', '--budget', '100', '--serve'], {
      cwd,
      env: environment({ home: cwd }),
    });
    const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
    const address = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => resolve(/http:\S+/.exec(text)?.[0] ?? ''));
    });
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]{36}\/$/);
    expect(await (await fetch(address)).text()).toContain('<title>a.tsx</title>');
    const other = await fetch(`${address}render?budget=50`);
    expect(await other.json()).toMatchObject({ budget: 50 });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });
});
