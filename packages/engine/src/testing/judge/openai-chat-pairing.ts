import { isArray, isObject, type Json } from './json.ts';
import { refuse } from './openai-error.ts';
import type { Finding } from './verdict.ts';

/** The calls that wait for tool messages right now. */
interface Batch {
  /** Index of the assistant message that made them. */
  at: number;
  ids: Set<string>;
  open: Set<string>;
}

/**
 * Tool messages directly follow the assistant message whose calls they answer, one for each call, in any order. Ids need
 * only be unique within one such batch: compatible servers number their calls anew in every answer.
 */
export function judgeChatPairing(messages: readonly Json[]): Finding {
  let batch: Batch | undefined;
  for (const [at, message] of messages.entries()) {
    if (message.role === 'tool') {
      const finding = answer({ message, at, batch });
      if (finding) return finding;
      continue;
    }
    if (batch && batch.open.size > 0) return unanswered(batch);
    batch = undefined;
    if (message.role !== 'assistant' || !isArray(message.tool_calls)) continue;
    const ids = message.tool_calls.map((call) => (isObject(call) ? String(call.id) : ''));
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined) return duplicate({ id: twice, at });
    batch = { at, ids: new Set(ids), open: new Set(ids) };
  }
  return batch && batch.open.size > 0 ? unanswered(batch) : undefined;
}

function answer({ message, at, batch }: { message: Json; at: number; batch: Batch | undefined }): Finding {
  const id = String(message.tool_call_id);
  if (!batch)
    return refuse({
      path: `messages[${at}]`,
      param: `messages.[${at}].role`,
      // The misspelling is theirs.
      message:
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    });
  if (!batch.ids.has(id))
    return refuse({
      path: `messages[${at}]`,
      param: `messages.[${at}].tool_call_id`,
      message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    });
  return batch.open.delete(id) ? undefined : duplicate({ id, at });
}

/** Reported from OpenAI and from several compatible servers in the same words. */
function duplicate({ id, at }: { id: string; at: number }): Finding {
  return refuse({
    path: `messages[${at}]`,
    param: `messages.[${at}].tool_call_id`,
    message: `Duplicate value for 'tool_call_id' of ${id} in message[${at}]`,
  });
}

function unanswered({ at, open }: Batch): Finding {
  return refuse({
    path: `messages[${at}]`,
    param: `messages.[${at}].role`,
    message: `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
  });
}
