import { type LoopbackRequest, type LoopbackSpoken, startLoopback } from 'longhaul/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { folder, longhaul } from './longhaul.ts';
import { eventsOf, resultsIn } from './provider.ts';

/** One tool call with reasoning, then the answer. */
function script({ body }: LoopbackRequest): LoopbackSpoken {
  const done = resultsIn(body) > 0 || /function_call_output/.test(JSON.stringify(body));
  if (done) return { thinking: 'That was easy.', text: 'Done.' };
  return { thinking: 'I should look.', text: 'Looking.', toolCalls: [{ name: 'ls', arguments: {} }] };
}

/** The same session on two servers: like two accounts, each rejects the signatures of the other. */
async function twoAccounts(variables: (url: string) => Record<string, string>) {
  const [one, other] = await Promise.all([startLoopback({ script }), startLoopback({ script })]);
  onTestFinished(async () => void (await Promise.all([one.close(), other.close()])));
  const cwd = folder();
  const call = (url: string, ...args: string[]) =>
    longhaul({ args: [...args, '--store', 'store'], cwd, env: variables(url) });
  return { one, other, call };
}

describe('a provider that rejects the signatures of another account', () => {
  test.each([
    ['anthropic/claude-opus-4-5', (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-x' })],
    ['openai/gpt-5.2', (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-x' })],
  ] as const)('gets the request again without them, and a line says so: %s', async (model, variables) => {
    const { one, other, call } = await twoAccounts(variables);
    expect(await call(one.url, '-p', 'First.', '--model', model, '--effort', 'medium')).toMatchObject({ code: 0 });
    const second = await call(
      other.url,
      '-p',
      'Second.',
      '--continue',
      '--model',
      model,
      '--effort',
      'medium',
      '--json',
    );
    expect(second).toMatchObject({ code: 0 });
    const events = eventsOf(second.stdout);
    expect(events.at(-1)).toMatchObject({ type: 'run_end', reason: 'done', text: 'Done.' });
    const notices = events.filter(({ type }) => type === 'notice').map(({ text }) => text);
    expect(notices).toEqual([expect.stringContaining('sending the request again without it')]);
    expect(other.requests.map(({ status }) => status)).toEqual([400, 200]);
    // The log says why the sent bytes changed.
    expect(events).toContainEqual(
      expect.objectContaining({ event: expect.objectContaining({ type: 'epoch', reason: 'thinking' }) }),
    );
  });
});
