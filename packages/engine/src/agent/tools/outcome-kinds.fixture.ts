import { advanceFrontier, createFrontier, type Frontier, sourceItems } from '../../compaction/index.ts';
import type { JsonObject, Message } from '../../message/index.ts';
import { createMemoryStore, createSession } from '../../session/index.ts';
import type { ToolOutcome } from '../tool.ts';

/** Where the work stands after calls, as the engine reads it off a real session. */
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
    const { content, isError } = await call(name, input);
    const asked: Message = {
      role: 'assistant',
      parts: [{ type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(input) }],
    };
    const result: Message = {
      role: 'tool',
      parts: [{ type: 'tool_result', origin: 'tool', callId: id, content, ...(isError && { isError }) }],
    };
    for (const message of [asked, result]) await session.append({ type: 'message', message });
  }
  return advanceFrontier({ frontier: createFrontier(), items: sourceItems(await session.path()) });
}
