import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { expect, test } from 'vitest';
import { agentWorld, resultsIn } from './provider.ts';

const text = '# Goal\n\nA file with the answer.\n\n1. Write a.txt\n2. Check it';
const write = { name: 'write', arguments: { file_path: 'a.txt', content: '42\n' } };
const tick = { name: 'plan', arguments: { step: 1, status: 'completed' } };

/** Plans, then works when the plan is approved. */
function script({ body }: LoopbackRequest): LoopbackSpoken {
  const isApproved = JSON.stringify(body).includes('I approve this plan');
  const done = resultsIn(body);
  if (!isApproved)
    return (
      [{ toolCalls: [write] }, { toolCalls: [{ name: 'plan', arguments: { text } }] }][done] ?? {
        text: 'Please read it.',
      }
    );
  return [{ toolCalls: [write] }, { toolCalls: [tick] }][done - 2] ?? { text: 'Done.' };
}

test('plan mode changes nothing and prints the plan; the approved and edited plan is carried out and ticked off', async () => {
  const { call, cwd, server } = await agentWorld({ script });
  expect(await call(['-p', 'Write the answer.', '--approve-plan'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--continue'),
  });
  const planned = await call(['-p', 'Write the answer.', '--mode', 'plan']);
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
  expect(planned.stderr).toMatch(
    /Nothing was changed\. Approve the plan: longhaul -p --session \w+ --store store --approve-plan/,
  );
  expect(existsSync(join(cwd, 'a.txt'))).toBe(false);
  const first = JSON.stringify(server.requests[0]?.body);
  expect(first).toContain('Plan mode is on');
  expect(JSON.stringify(server.requests[1]?.body)).toContain('until the user has approved a plan');
  writeFileSync(join(cwd, 'plan.md'), text.replace('Check it', 'Check it twice'));
  const approved = await call(['-p', '--continue', '--approve-plan', 'plan.md', '--mode', 'auto-edit']);
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('Done.') });
  expect(existsSync(join(cwd, 'a.txt'))).toBe(true);
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain('Check it twice');
  expect(last).toContain('1. [x] Write a.txt');
  // The tools are the same before and after the approval, so the prefix stays in the cache of the provider.
  const tools = server.requests.map(({ body }) => JSON.stringify((body as { tools?: unknown }).tools));
  expect(new Set(tools).size).toBe(1);
  // The plan is in every summary: its text, that it was approved, and how far it got.
  const compacted = await call(['compact', 'last', '--dry-run', '--json']);
  expect(compacted.stdout).toContain('Check it twice');
});

test('stream-json: every prompt gets the instructions of plan mode, and a list that is written is a plan', async () => {
  const { call, server } = await agentWorld({ script: () => ({ text }) });
  const lines = ['First.', 'Second.'].map((words) => JSON.stringify({ type: 'prompt', text: words })).join('\n');
  const planned = await call(['-p', '--input-format', 'stream-json', '--mode', 'plan'], lines);
  expect(planned.code).toBe(0);
  const counts = server.requests.map(({ body }) => JSON.stringify(body).split('Plan mode is on').length - 1);
  expect(counts).toEqual([1, 2]);
  expect(planned.stdout.split('"type":"plan_proposed"').length - 1).toBe(1);
  const approved = await call(['-p', '--continue', '--approve-plan']);
  expect(approved.code).toBe(0);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('I approve this plan:\\n\\n# Goal');
});

test('stream-json: a line approves the edited plan, which ends plan mode; without a plan it is an error', async () => {
  const { call, server } = await agentWorld({ script });
  const none = await call(
    ['-p', '--input-format', 'stream-json'],
    '{"type":"approve_plan"}\n{"type":"prompt","text":"Hi."}',
  );
  expect(none.stdout).toMatch(/"type":"input_error","line":1,"message":"[^"]*plan/);
  const lines = [
    { type: 'prompt', text: 'Write the answer.' },
    { type: 'approve_plan', text: text.replace('Check it', 'Check it twice') },
  ];
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const worked = await call(['-p', '--input-format', 'stream-json', '--mode', 'plan'], input);
  expect(worked.stdout).toContain('"type":"accepted"');
  const last = JSON.stringify(server.requests.at(-1)?.body);
  expect(last).toContain('Check it twice');
  expect(last).toContain('1. [x] Write a.txt');
});
