import { describe, expect, it } from 'vitest';
import { dialects } from '../../message/index.ts';
import { createClock } from '../../testing/clock.ts';
import { ask, connect, say } from './fixtures/connect.ts';
import { withRetry } from './retry.ts';

/** A clock that does not wait, and remembers for how long it did not. */
function hurried() {
  const waits: number[] = [];
  return { waits, clock: { sleep: async (ms: number) => void waits.push(ms) } };
}

describe.each(dialects)('with %s', (dialect) => {
  it('what may pass is sent again, as late as the server asks', async () => {
    const script = [{ failure: 'rate', retryAfter: 7 }, { failure: 'network' }, { text: 'At last.' }] as const;
    await using at = await connect({ dialect, loopback: { script } });
    const { waits, clock } = hurried();
    const reported: number[] = [];
    const model = withRetry(at.model, { clock, random: () => 0, onRetry: ({ attempt }) => reported.push(attempt) });
    const { end, events } = await ask(model);
    expect(end).toMatchObject({ reason: 'stop', message: { parts: [{ text: 'At last.' }] } });
    expect(events.filter((event) => event.type === 'end')).toHaveLength(1);
    expect(waits).toEqual([7000, 4000]);
    expect(reported).toEqual([1, 2]);
    const sent = at.loopback.requests.map(({ text }) => text);
    expect(new Set(sent).size).toBe(1);
  });

  it.each(['overflow', 'quota', 'auth', 'invalid'] as const)('%s is never sent twice', async (failure) => {
    await using at = await connect({ dialect, loopback: { script: () => ({ failure }) } });
    const { waits, clock } = hurried();
    expect((await ask(withRetry(at.model, { clock }))).end.reason).toBe('failed');
    expect(at.loopback.requests).toHaveLength(1);
    expect(waits).toEqual([]);
  });

  it('an answer that had begun is not begun again', async () => {
    const script = [{ text: 'word '.repeat(400), transport: { cutAfterBytes: 3000 } }];
    await using at = await connect({ dialect, loopback: { script } });
    const { clock } = hurried();
    const { end } = await ask(withRetry(at.model, { clock }));
    expect(end).toMatchObject({ reason: 'failed', failure: { kind: 'network' } });
    expect(at.loopback.requests).toHaveLength(1);
  });
});

it('it gives up after as many attempts as the policy says', async () => {
  await using at = await connect({ dialect: 'anthropic', loopback: { script: () => ({ failure: 'server' }) } });
  const { waits, clock } = hurried();
  const policy = { attempts: 2, baseMs: 100, maxMs: 1000 };
  expect((await ask(withRetry(at.model, { clock, random: () => 0, policy }))).end.reason).toBe('failed');
  expect(waits).toEqual([100, 200]);
  expect(at.loopback.requests).toHaveLength(3);
});

it('an abort ends the wait', async () => {
  await using at = await connect({ dialect: 'openai-chat', loopback: { script: () => ({ failure: 'server' }) } });
  const controller = new AbortController();
  const clock = createClock();
  const model = withRetry(at.model, { clock, onRetry: () => setImmediate(() => controller.abort()) });
  const { end } = await ask(model, { items: [say('Hi')], signal: controller.signal });
  expect(end).toMatchObject({ reason: 'aborted' });
  expect(at.loopback.requests).toHaveLength(1);
});

it('a model retries by default', async () => {
  const { clock, waits } = hurried();
  const loopback = { script: [{ failure: 'overloaded' }, { text: 'Yes.' }] } as const;
  await using at = await connect({ dialect: 'gemini', loopback, retries: true, clock, random: () => 0 });
  expect((await ask(at.model)).end.reason).toBe('stop');
  expect(waits).toEqual([2000]);
});
