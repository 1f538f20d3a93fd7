import type { Prepared } from '../../engine/index.ts';
import type { Desk } from './effect-context.ts';
import type { Happening } from './event.ts';
import { type Saying, wordsOf } from './queued-message.ts';

/** Says what is to be said and makes the next request. What is said is durable before anybody is told. */
export async function prepareRequest({
  desk,
  say,
}: {
  readonly desk: Desk;
  readonly say: readonly Saying[];
}): Promise<{ readonly prepared: Prepared; readonly happening: Extract<Happening, { type: 'prepared' }> }> {
  const { session, signal, options } = desk;
  await desk.beforePrepare();
  if (say.length > 0) for (const tool of desk.tools) tool.beginTurn?.();
  for (const { message, key } of say.slice(0, -1)) await session.append({ type: 'message', message, key: `${key}:0` });
  const last = say.at(-1);
  const head = await desk.head();
  const prepared = await session.prepare({
    ...{ model: desk.model(), tools: desk.tools.map(({ definition }) => definition), signal },
    ...(head !== undefined && { head }),
    ...(options && { options }),
    ...(last && { turn: { messages: [last.message], key: last.key } }),
  });
  for (const saying of say) {
    desk.onSaid(saying);
    desk.tell({ type: 'said', how: saying.how, text: wordsOf(saying.message) });
  }
  const { tokens, bound, report } = prepared;
  // What was looked up before is gone with the rest, so it may be looked up again.
  if (report.compaction?.installed) for (const tool of desk.tools) tool.beginTurn?.();
  const continuation = report.continuation && {
    continuation: { message: report.continuation, key: desk.nextKey(), how: 'continuation' as const },
  };
  const { window } = report.snapshot;
  return { prepared, happening: { type: 'prepared', tokens, bound, window, ...continuation } };
}
