import { Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { human, itemsOf, model } from '../../engine/fixtures/items.ts';
import { answerTo, type SearchQuestion } from '../../engine/recall/search-answer.ts';
import type { SearchFinding } from '../search/search.ts';
import { createItemHost } from './host.ts';
import type { ToWorker } from './protocol.ts';

const question: SearchQuestion = { query: 'port', seen: [], far: [], most: 10 };

/** A worker, and what was sent to it. */
function started() {
  const sent: ToWorker<SearchQuestion>[] = [];
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, value: unknown) {
    sent.push(value as ToWorker<SearchQuestion>);
    original.call(this, value);
  });
  const host = createItemHost<SearchQuestion, readonly SearchFinding[]>({
    module: 'engine/recall/worker',
    name: 'test',
    onEnd: () => undefined,
  });
  const handles = () =>
    sent.splice(0).flatMap((each) => ('set' in each ? [each.set.map(({ handle }) => handle), [...each.drop]] : []));
  return { host, handles };
}

const original = Worker.prototype.postMessage;

describe('what is sent to a worker', () => {
  const items = itemsOf(human('The port is 8432.'), model('Noted.'), human('The port is 9000 now.'), model('Good.'));

  test('is only what changed since the last question', async () => {
    const { host, handles } = started();
    const [first = expect.unreachable(), second = expect.unreachable()] = items;
    expect(await host.ask({ items, question })).toEqual(answerTo({ items, question }));
    expect(handles()).toEqual([items.map(({ handle }) => handle), []]);
    await host.ask({ items: [...items], question });
    expect(handles()).toEqual([]);
    const edited = { ...second, message: { ...second.message } };
    const next = [first, edited, ...items.slice(3)];
    expect(await host.ask({ items: next, question })).toEqual(answerTo({ items: next, question }));
    expect(handles()).toEqual([[second.handle], [items[2]?.handle]]);
    vi.restoreAllMocks();
  });
});
