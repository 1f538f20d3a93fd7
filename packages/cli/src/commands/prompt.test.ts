import { Fragment, h, SystemMessage, UserMessage } from 'longhaul/prompt';
import { describe, expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';

// What files may be written like, and how they fail, is tried with the real command in test/cli/prompt.test.ts.

const hello = h(
  Fragment,
  null,
  h(SystemMessage, { priority: 2 }, 'Be brief.'),
  h(UserMessage, { priority: 1, name: 'ada' }, 'Hello'),
);

async function prompt(args: readonly string[], exports: Readonly<Record<string, unknown>> = { prompt: hello }) {
  const io = memoryIo({ files: { '/project/a.tsx': '' }, prompts: { '/project/a.tsx': exports } });
  const code = await run({ argv: ['prompt', ...args], io });
  return { code, ...io.printed, io };
}

const render = ['render', 'a.tsx', '--tokenizer', 'letters', '--budget'];

describe('rendering', () => {
  test('prints each message under its role, and what they come to', async () => {
    const { code, stdout } = await prompt([...render, '100']);
    expect(code).toBe(0);
    expect(stdout).toBe('system\nBe brief.\n\nuser ada\nHello\n\n30 of 100 tokens (letters), 2 messages\n');
  });

  test('says how much was pruned', async () => {
    expect((await prompt([...render, '20'])).stdout).toBe(
      'system\nBe brief.\n\n18 of 20 tokens (letters), 1 message, 2 nodes pruned\n',
    );
  });

  test('answers a program with messages, counts, steps and fingerprints', async () => {
    const { stdout } = await prompt([...render, '100', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      budget: 100,
      tokenizer: 'letters',
      messages: [
        { role: 0, content: [{ type: 1, text: 'Be brief.' }] },
        { role: 1, name: 'ada', content: [{ type: 1, text: 'Hello' }] },
      ],
      tokens: 30,
      steps: [],
      references: 0,
      omittedReferences: 0,
      fingerprints: [expect.stringMatching(/^[0-9a-f]{16}$/), expect.stringMatching(/^[0-9a-f]{16}$/)],
    });
  });

  test('takes a promise of a prompt, and props for a function', async () => {
    expect((await prompt([...render, '100'], { default: Promise.resolve(hello) })).code).toBe(0);
    const ask = ({ who }: { readonly who: string }) => h(UserMessage, {}, `Hello ${who}`);
    expect((await prompt([...render, '100'], { default: ask, props: { who: 'Ada' } })).stdout).toContain('Hello Ada');
    expect((await prompt([...render, '100', '--props', '{"who":"Bo"}'], { default: ask })).stdout).toContain(
      'Hello Bo',
    );
  });

  test('keeps what a prompt says from steering the terminal', async () => {
    const { stdout } = await prompt([...render, '100'], { prompt: h(UserMessage, {}, 'a\u001b[2Jb') });
    expect(stdout).not.toContain('\u001b');
  });
});

describe('tracing', () => {
  test('writes the page to the given file and prints its name', async () => {
    const { code, stdout, io } = await prompt(['trace', 'a.tsx', '--budget', '100', '-o', 'a.html', '--json']);
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, budget: 100, output: 'a.html' });
    expect(new TextDecoder().decode(io.content.get('/project/a.html'))).toContain('data-name="render"');
  });

  test('says in a sentence that there is no such port', async () => {
    const { code, stderr } = await prompt(['trace', 'a.tsx', '--budget', '100', '--serve', '--port', '99999']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^longhaul: Cannot listen on port 99999: .*[^.]\.\n/);
  });

  test('serves until Ctrl-C', async () => {
    const io = memoryIo({ files: { '/project/a.tsx': '' }, prompts: { '/project/a.tsx': { prompt: hello } } });
    const running = run({ argv: ['prompt', 'trace', 'a.tsx', '--budget', '100', '--serve'], io });
    while (!io.printed.stdout.includes('Ctrl-C')) await new Promise((resolve) => setImmediate(resolve));
    const address = /http:\S+/.exec(io.printed.stdout)?.[0] ?? '';
    expect((await fetch(address)).status).toBe(200);
    io.interrupt();
    expect(await running).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });
});
