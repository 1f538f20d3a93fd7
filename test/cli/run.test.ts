import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, longhaul } from './longhaul.ts';
import { eventsOf } from './provider.ts';

const examples = join(import.meta.dirname, '../../examples/scripts');
const scripts = globSync('*.json', { cwd: examples });

async function run({ script, args = [] }: { readonly script: unknown; readonly args?: readonly string[] }) {
  const cwd = folder();
  writeFileSync(join(cwd, 'script.json'), typeof script === 'string' ? script : JSON.stringify(script));
  return { cwd, ...(await longhaul({ args: ['run', 'script.json', ...args], cwd })) };
}

const write = { name: 'write', arguments: { file_path: 'a.txt', content: 'hello\n' } };
const talk = (...answers: readonly object[]) => ({ prompts: [{ say: 'Go.', answers }] });

test.each(scripts)('examples/scripts/%s runs to its end', async (name) => {
  const cwd = folder();
  const { code, stdout } = await longhaul({ args: ['run', join(examples, name), '--yes', '--json'], cwd });
  const report = eventsOf(stdout).at(-1);
  expect({ code, report }).toMatchObject({ code: 0, report: { type: 'report', ended: 'done', unused: 0, denied: 0 } });
});

describe('longhaul run', () => {
  test('drives the real loop and the real tools, and reports what happened', async () => {
    const script = talk({ text: 'I write.', toolCalls: [write] }, { text: 'Done.' });
    const { code, stdout, stderr, cwd } = await run({ script, args: ['--yes'] });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I write.\nDone.\n' });
    expect(stderr).toMatch(/ended +done\nprompts +1 of 1\nrequests +2\ntool calls +1 \(write 1\)/);
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('hello\n');
  });

  test('a small window makes it compact, without another model', async () => {
    const answers = Array.from({ length: 12 }, (_, n) => ({
      toolCalls: [{ name: 'bash', arguments: { command: `seq ${n * 1000} ${n * 1000 + 500}` } }],
    }));
    const script = talk(...answers, { text: 'Counted.' });
    const { code, stdout } = await run({ script, args: ['--yes', '--json', '--window', '16000'] });
    expect(code).toBe(0);
    const report = eventsOf(stdout).at(-1);
    expect(report).toMatchObject({ ended: 'done', requests: 13, waits: 0 });
    expect(Number(report?.compactions)).toBeGreaterThan(0);
  });

  test('superfluous or missing answers are exit code 1', async () => {
    const more = await run({ script: talk({ text: 'Done.' }, { text: 'And?' }) });
    expect(more).toMatchObject({ code: 1, stderr: expect.stringMatching(/left over +1 answer/) });
    const fewer = await run({ script: talk({ toolCalls: [{ name: 'ls' }] }) });
    expect(fewer).toMatchObject({ code: 1, stderr: expect.stringContaining('The script has 1 answers to "Go."') });
  });

  test('a failure of the script is a failure of the model', async () => {
    const { code, stdout } = await run({ script: talk({ failure: 'quota' }), args: ['--json'] });
    expect(code).toBe(1);
    expect(eventsOf(stdout).at(-2)).toMatchObject({ type: 'run_end', reason: 'failed', failure: { kind: 'quota' } });
  });

  test.each([
    ['{', 'script.json is not valid JSON: line 1, column 2'],
    ['[]', 'the document must be an object'],
    ['{}', 'prompts must be a list'],
    [{ prompts: [] }, 'prompts must not be empty'],
    [{ prompts: [{ say: 'x', answers: [{ tex: 'y' }] }] }, 'prompts[0].answers[0] has unknown members: "tex"'],
    [{ prompts: [{ say: 'x', answers: [{}] }] }, 'prompts[0].answers[0] must have text, toolCalls or a failure'],
    [{ ...talk({ text: 'x' }), window: 10 }, 'window must be at least 1000'],
    [talk({ failure: 'bad luck' }), 'prompts[0].answers[0].failure must be one of "overflow"'],
    [talk({ toolCalls: [{ name: 7 }] }), 'prompts[0].answers[0].toolCalls[0].name must be a text'],
  ])('%j is refused in one sentence', async (script, sentence) => {
    const { code, stdout, stderr } = await run({ script });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toContain(sentence);
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });

  test('--schema prints the JSON Schema of a script', async () => {
    const { code, stdout } = await longhaul({ args: ['run', '--schema'] });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ title: 'A script for longhaul run', required: ['prompts'] });
  });
});
