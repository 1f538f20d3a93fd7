import { advanceFrontier, createFrontier, type Frontier, sourceItems } from '../../engine/index.ts';
import type { JsonObject, Message, ToolCallPart } from '../../message/index.ts';
import { createMemoryStore, createSession } from '../../session/index.ts';
import { resultOf } from '../loop/results.ts';
import type { ToolOutcome } from '../tool.ts';

/** The frontier after calls, as the engine reads it from a real session. */
export async function outcomeKinds({
  call,
  calls,
}: {
  readonly call: (name: string, input: JsonObject) => Promise<ToolOutcome>;
  readonly calls: readonly (readonly [string, JsonObject])[];
}): Promise<Frontier> {
  const session = await createSession({ store: createMemoryStore() });
  for (const [at, [name, input]] of calls.entries()) {
    const id = `c${at}`;
    const outcome = await call(name, input);
    const made: ToolCallPart = { type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(input) };
    const asked: Message = { role: 'assistant', parts: [made] };
    const result = resultOf({ call: made, outcome });
    for (const message of [asked, result]) await session.append({ type: 'message', message });
  }
  return advanceFrontier({ frontier: createFrontier(), items: sourceItems(await session.path()) });
}
