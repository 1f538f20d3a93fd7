import { describe, expect, test } from 'vitest';
import { agentWorld } from './provider.ts';

/** A prompt of 33,591 characters, like pasted notes. */
const pasted = Array.from(
  { length: 700 },
  (_, line) => `Note ${line}: the build of the parser module was slow again today`,
)
  .join('\n')
  .slice(0, 33_591);

/** An answer of about 9,000 tokens. */
const report = Array.from({ length: 900 }, (_, line) => `Step ${line} of the port is done and checked.`).join('\n');

describe('input that waits for an answer', () => {
  test.each(['cli'])('is sent whole by longhaul -p though it triggers a compaction, with %s', async (preset) => {
    const { call, server } = await agentWorld({ script: () => ({ text: report }), window: 1_000_000 });
    const flags = ['--window', '25000', '--preset', preset];
    await call(['-p', 'Port the parser.', ...flags]);
    await call(['-p', 'Port the lexer.', '--continue', ...flags]);
    const { code, stderr } = await call(['-p', '--continue', ...flags], pasted);
    expect(code).toBe(0);
    expect(stderr).toContain('compacted');
    expect(stderr).not.toContain('was shortened');
    expect(server.requests.at(-1)?.text).toContain(JSON.stringify(pasted).slice(1, -1));
  });

  test('that does not fit the window is shortened, and the run, context and compact say so', async () => {
    const { call, server } = await agentWorld({ window: 1_000_000, script: () => ({ failure: 'auth' }) });
    const { stderr } = await call(['-p', '--window', '16000'], pasted.repeat(4));
    expect(stderr).toMatch(/the input does not fit the window and was shortened \(@\d+ 134,364 -> [\d,]+ characters/);
    expect(server.requests.at(-1)?.text).toMatch(/characters left out; recall @\d+ for all of it/);
    const sentence = /The input at (@\d+) does not fit the window and is sent shortened/;
    const { stdout } = await call(['context', 'last']);
    const [, place = ''] = sentence.exec(stdout) ?? [];
    expect((await call(['recall', 'last', place])).stdout).toContain(pasted.slice(0, 200));
    expect((await call(['compact', 'last', '--window', '16000'])).stdout).toMatch(sentence);
  });
});
