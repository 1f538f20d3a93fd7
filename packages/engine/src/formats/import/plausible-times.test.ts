import { describe, expect, test } from 'vitest';
import { user } from '../../message/index.ts';
import { createMemoryStore } from '../../session/store/memory.ts';
import { importSession } from './import.ts';

const now = Date.UTC(2026, 5, 1);
const day = 24 * 60 * 60 * 1000;

function pi(times: readonly (string | number)[]): string {
  const header = { type: 'session', version: 3, id: 'absurd', timestamp: times[0], cwd: '/repo' };
  const lines = times.slice(1).map((timestamp, index) => ({
    type: 'message',
    id: `${index}`,
    parentId: index === 0 ? null : `${index - 1}`,
    timestamp,
    message: { role: 'user', content: [{ type: 'text', text: `message ${index}` }] },
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function own(times: readonly number[]): string {
  const id = '0190a1b2-0000-7000-8000-000000000001';
  const header = { type: 'session', format: 'longhaul', v: 1, id, createdAt: times[0] };
  const lines = times.slice(1).map((at, index) => ({
    v: 1,
    id: `0190a1b2-0000-7000-8000-00000000001${index}`,
    handle: index + 1,
    at,
    epoch: null,
    type: 'message',
    parentId: index === 0 ? null : `0190a1b2-0000-7000-8000-00000000001${index - 1}`,
    message: user(`message ${index}`),
  }));
  return [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function bring(text: string) {
  const store = createMemoryStore();
  async function* open() {
    yield new TextEncoder().encode(text);
  }
  const imported = await importSession({ store, open, now: () => now });
  const listed = await store.list();
  const entries = await store.read({ session: imported.session, query: { after: 0 } });
  return { ...imported, listed, times: entries.map(({ at }) => at) };
}

describe('absurd times of an imported file', () => {
  test.each([
    ['in the year 9999', '9999-12-31T23:59:59.000Z'],
    ['tomorrow and later', new Date(now + 2 * day).toISOString()],
    ['as a number beyond all dates', 1e300],
    ['as the largest number', Number.MAX_VALUE],
  ])('%s count as unknown, with a note', async (_, absurd) => {
    const good = Date.UTC(2026, 0, 2);
    const { times, warnings, listed } = await bring(pi([absurd, new Date(good).toISOString(), absurd, absurd]));
    expect(times).toEqual([good, good, good]);
    expect(listed[0]?.updatedAt).toBeLessThanOrEqual(now);
    expect(listed[0]?.header.createdAt).toBeLessThanOrEqual(now);
    expect(warnings).toContainEqual({ code: 'absurd-time', message: expect.stringMatching(/^2 times cannot be true/) });
  });

  test.each([1e300, -5, now + 2 * day])('%d in our own format is not taken over', async (absurd) => {
    const { times, listed } = await bring(own([absurd, absurd, Date.UTC(2026, 0, 2), absurd]));
    for (const at of times) expect(at).toBeLessThanOrEqual(now);
    for (const at of times) expect(at).toBeGreaterThanOrEqual(0);
    expect(listed[0]?.updatedAt).toBeLessThanOrEqual(now);
  });

  test('a clock that is an hour ahead is believed', async () => {
    const soon = now + 60 * 60 * 1000;
    const { times, warnings } = await bring(pi(['2026-01-02T03:04:05.000Z', new Date(soon).toISOString()]));
    expect(times).toEqual([soon]);
    expect(warnings).toEqual([]);
  });
});
