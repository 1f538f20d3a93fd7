import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from './longhaul.ts';
import { world } from './world.ts';

/** So many rounds of a question, a call, an output of so many lines, and an answer. */
function work({ rounds, lines }: { readonly rounds: number; readonly lines: number }): string {
  const messages = Array.from({ length: rounds }, (_, round) => {
    const output = Array.from(
      { length: lines },
      (_, line) => `unit_${round}_${line} took ${(round * 7919 + line * 104729) % 9973} ms`,
    );
    return [
      { role: 'user', content: `Look at part ${round}.${round === 0 ? ' Never push to main.' : ''}` },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `c${round}`, name: 'Bash', input: { command: `run ${round}` } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `c${round}`, content: output.join('\n') }] },
      { role: 'assistant', content: `Part ${round} is fine.` },
    ];
  }).flat();
  return JSON.stringify({ system: 'You are careful.', messages });
}

test('a session is looked at, compacted and taken back, and sends what it sent before', async () => {
  const { json, file } = world();
  file('work.json', work({ rounds: 30, lines: 60 }));
  const { value: imported } = await json('import', 'work.json');
  const id = imported.sessionId;
  const { value: before } = await json('context', id);
  expect((await json('frontier', id)).value.commands.at(-1)).toMatchObject({ command: 'run 29', handle: '@120' });
  await json('pin', id, 'Use tabs.');
  const { code, value } = await json('compact', id, '--window', '24000');
  expect({ code, installed: value.installed }).toEqual({ code: 0, installed: true });
  // The head and 60 % of what the limit of 20,400 leaves.
  expect(value.tokensAfter).toBeLessThan(12_500);
  expect(value.loss.pins).toEqual(['Use tabs.', 'Never push to main.'].map((text) => ({ text, survived: true })));
  expect((await json('recall', id, '@4.1:1-1')).value.text).toBe('unit_0_0 took 0 ms');
  await json('undo', id);
  expect((await json('context', id)).value.messages).toEqual(before.messages);
});

test('a real endpoint is called over the network, with its key, and the process exits', async () => {
  const heard: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    request.resume().on('end', () => response.end(JSON.stringify({ summary: '## Progress\nEvery part was fine.' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { json, file } = world({ env: { SUMMARIES_KEY: 'sesame' } });
    file('work.json', work({ rounds: 30, lines: 60 }));
    await json('import', 'work.json');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const flags = ['--summarizer', 'model', '--endpoint', url, '--endpoint-key-variable', 'SUMMARIES_KEY'];
    const { code, value } = await json('compact', 'last', '--window', '24000', ...flags);
    expect({ code, strategy: value.strategy, heard }).toEqual({
      code: 0,
      strategy: 'simple',
      heard: ['Bearer sesame'],
    });
    expect(value.summary).toContain('Every part was fine.');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.skipIf(process.platform === 'win32')(
  'Ctrl-C in the middle of a compaction leaves the session as it was',
  async () => {
    const { cwd, json, file } = world();
    file('work.json', work({ rounds: 200, lines: 800 }));
    const { value: imported } = await json('import', 'work.json');
    const [program, ...first] = command;
    const child = spawn(program, [...first, 'compact', 'last', '--window', '200000', '--store', 'store'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: join(cwd, 'no-home') },
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    setTimeout(() => child.kill('SIGINT'), 1500);
    const [code, signal] = await new Promise<unknown[]>((resolve) => child.on('close', (...how) => resolve(how)));
    // On a machine so slow that the command has not begun yet it ends as any program does.
    expect([130, 'SIGINT']).toContain(code ?? signal);
    if (code === 130) expect(stderr).toContain('Interrupted: nothing was compacted');
    const { value } = await json('stats', imported.sessionId);
    expect(value).toMatchObject({ entries: imported.entries, compactions: [] });
  },
);
