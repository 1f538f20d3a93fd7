import type { Prepared } from '../../engine/index.ts';
import type { Json } from '../../message/index.ts';
import { unfinishedKey } from '../resume/asked.ts';
import { actOn, settle } from './act.ts';
import type { Desk } from './effect-context.ts';
import type { Effect, Happening } from './event.ts';
import { lookAt } from './plan-calls.ts';
import { prepareRequest } from './prepare.ts';
import { remark } from './queued-message.ts';
import { streamAnswer } from './stream.ts';

/** What an effect leads to: something that happens next, or nothing. */
export type Perform = (effect: Effect) => Promise<Happening | undefined>;

/** Performs effects on the session, the model and the tools. */
export function createPerform(desk: Desk): Perform {
  const { session, tell, clock, signal } = desk;
  let request: Prepared | undefined;
  return async (effect) => {
    switch (effect.do) {
      case 'prepare': {
        const { prepared, happening } = await prepareRequest({ desk, say: effect.say });
        request = prepared;
        return happening;
      }
      case 'stream': {
        if (!request) throw new Error('There is no request to send.');
        const { do: _, attempt, ...start } = effect;
        if (attempt === 1) tell({ type: 'turn_start', ...start, messageCount: messagesIn(request) });
        return await streamAnswer({ desk, prepared: request });
      }
      case 'keep': {
        const { message, reason, requestId } = effect;
        const why = reason === 'length' || reason === 'paused' ? reason : undefined;
        const key = why && { key: unfinishedKey({ why, id: desk.nextKey() }) };
        const { id: entry } = await session.append({ type: 'message', message, by: desk.model().id, ...key });
        tell({ type: 'answer', message, reason, entry, ...(requestId !== undefined && { requestId }) });
        return undefined;
      }
      case 'note': {
        const { message, reason, why } = effect;
        const data: Json = { reason, why, message: message as unknown as Json };
        await session.append({ type: 'custom', customType: 'longhaul:partial', data });
        return undefined;
      }
      case 'signal': {
        // A compaction itself is a part of the answer; the note holds what is said of it.
        const { value, ...about } = effect.signal;
        const data: Json = { ...about, ...(about.kind === 'edits' && { value }) };
        await session.append({ type: 'custom', customType: 'longhaul:provider-compaction', data });
        tell({ type: 'provider_compaction', ...about });
        return undefined;
      }
      case 'report':
        if ('usage' in effect) {
          const { usage, requestId } = effect;
          const named = requestId === undefined ? {} : { requestId };
          await session.report({ usage, ...named });
          tell({ type: 'usage', usage, messageCount: request ? messagesIn(request) : 0, ...named });
        } else await session.report({ failure: effect.failure });
        return undefined;
      case 'look':
        return { type: 'looked', calls: await lookAt({ message: effect.message, tools: desk.tools }) };
      case 'act':
        await actOn({ desk, calls: effect.calls });
        return { type: 'acted' };
      case 'settle':
        await settle({ desk, calls: effect.calls, why: effect.why });
        return { type: 'acted' };
      case 'wait': {
        const { attempt, ms: delayMs, failure } = effect;
        tell({ type: 'retry', attempt, delayMs, failure });
        await clock.sleep(delayMs, signal).catch(() => undefined);
        return { type: 'waited' };
      }
      case 'overflow':
        tell({ type: 'overflow', failure: effect.failure });
        return undefined;
      case 'compact':
        await desk.relieve();
        return undefined;
      case 'notice':
        tell({ type: 'notice', text: effect.text });
        return undefined;
      case 'stop': {
        const { goOn } = await desk.ask('stop', { text: effect.text, turns: effect.turns }, signal);
        if (goOn === undefined) return { type: 'stopping' };
        return { type: 'stopping', goOn: { message: remark(goOn), key: desk.nextKey(), how: 'continuation' } };
      }
      case 'end': {
        const { do: _, ...end } = effect;
        if (end.failure) await desk.ask('errorOccurred', { failure: end.failure, reason: end.reason });
        tell({ type: 'run_end', ...end });
        await desk.ask('notification', { kind: 'idle', text: end.text });
        return undefined;
      }
      case 'cancel':
        return undefined;
    }
  };
}

function messagesIn({ head, items }: Prepared): number {
  return head.length + items.length;
}
