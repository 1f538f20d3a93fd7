import { expect, test } from 'vitest';
import { withTimeout } from './time.ts';

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('the timer of a timeout does not keep the process alive', async () => {
  const stop = new AbortController();
  const before = timers();
  const waiting = withTimeout({ work: () => new Promise(() => undefined), timeout: 600_000, signal: stop.signal });
  expect(timers()).toBe(before);
  stop.abort(new Error('never mind'));
  await expect(waiting).rejects.toThrow('never mind');
});
