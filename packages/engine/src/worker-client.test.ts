import { afterEach, expect, test, vi } from 'vitest';
import { WorkerClient } from './worker-client.ts';

interface Ask {
  readonly id: number;
  readonly text: string;
}

class EndedError extends Error {}

const open: WorkerClient<Ask, string>[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.terminate()));
});

/** A worker that echoes: later calls before earlier ones, `fail` as a failure; `crash` ends it. */
const source = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ({ id, text }) => {
  if (text === 'crash') throw new Error('boom');
  if (text === 'exit') process.exit(0);
  setTimeout(() => parentPort.postMessage(text === 'fail' ? { id, failure: 'refused' } : { id, value: text }), 20 - id);
});`;

function create({ onIdle, onEnd }: { onIdle?: () => void; onEnd?: () => void } = {}) {
  const client = new WorkerClient<Ask, string>({
    url: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    errorOf: (failure) => new Error(failure),
    endedError: (cause) => new EndedError('ended', { cause }),
    ...(onIdle && { onIdle }),
    ...(onEnd && { onEnd }),
  });
  open.push(client);
  const call = (text: string) => {
    const { id, reply } = client.open();
    client.post({ id, text });
    return { id, reply };
  };
  return { client, call };
}

test('replies reach their calls in any order, failures as errors', async () => {
  const onIdle = vi.fn();
  const { call } = create({ onIdle });
  const replies = ['one', 'fail', 'three'].map((text) => call(text).reply);
  const settled = await Promise.allSettled(replies);
  expect(settled).toMatchObject([{ value: 'one' }, { reason: { message: 'refused' } }, { value: 'three' }]);
  expect(onIdle).toHaveBeenCalledTimes(1);
});

test.each([
  ['crash', 'boom'],
  ['exit', undefined],
])('after a worker ended by %s, open and later calls are rejected with its error', async (how, message) => {
  const onEnd = vi.fn();
  const { client, call } = create({ onEnd });
  const replies = [call('one').reply, call(how).reply];
  const settled = await Promise.allSettled(replies);
  const reason = expect.any(EndedError);
  expect(settled).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
  await expect(client.open().reply).rejects.toBeInstanceOf(EndedError);
  expect((client.ended?.cause as Error | undefined)?.message).toBe(message);
  expect(onEnd).toHaveBeenCalledTimes(1);
});

test('a cancelled call is rejected at once, and its late reply is ignored', async () => {
  const { client, call } = create();
  const first = call('one');
  const second = call('two');
  expect(client.cancel(first.id, new Error('changed my mind'))).toBe(true);
  expect(client.cancel(first.id, new Error('again'))).toBe(false);
  await expect(first.reply).rejects.toThrow('changed my mind');
  expect(await second.reply).toBe('two');
  expect(client.openCalls).toBe(0);
});
