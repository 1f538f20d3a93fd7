import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { codecs, type Message, type Part, type ToolResultPart } from '../../message/index.ts';
import { chatParts } from '../chat-parts.ts';
import { thinkingParts } from '../thinking-parts.ts';

/** Whether an item of a history is the task: the first thing said to the model that is no example. */
export function isTask(item: Json): boolean {
  return isObject(item) && item.role === 'user' && item.is_demo !== true;
}

/**
 * Reads the items of a history one after the other; `undefined` for what is no message. Without function calling the
 * model writes a command at the end of its text, and what the shell answers comes in the user's role: both become a call
 * and its result here, so that they can be told from what a person says.
 *
 * @example
 * const turnOf = createTurns();
 * const messages = history.map(turnOf);
 */
export function createTurns(): (item: Json) => Message | undefined {
  let commands = 0;
  /** The command that waits for its output. */
  let running: string | undefined;
  return (item) => {
    const message = isObject(item) ? read(item) : undefined;
    return message && isObject(item) && item.is_demo === true ? shown(message) : message;
  };

  function read(item: JsonObject): Message | undefined {
    const { role, content } = item;
    switch (role) {
      case 'system':
        return { role, parts: chatParts({ content, origin: 'engine' }) };
      case 'assistant':
        return { role, parts: answerParts(item) };
      case 'tool':
        return { role, parts: [result({ callId: firstOf(item.tool_call_ids), content })] };
      case 'user': {
        if (running === undefined) return { role, parts: chatParts({ content, origin: 'human' }) };
        const parts = [result({ callId: running, content })];
        running = undefined;
        return { role: 'tool', parts };
      }
      default:
        return undefined;
    }
  }

  function answerParts(item: JsonObject): Part[] {
    const { content, thought, action, tool_calls: calls } = item;
    const thinking = thinkingParts({ blocks: item.thinking_blocks });
    running = undefined;
    if (isArray(calls) && calls.length > 0) {
      const [called] = codecs['openai-chat'].decode([{ role: 'assistant', tool_calls: calls }]);
      return [...thinking, ...chatParts({ content, origin: 'model' }), ...(called?.parts ?? [])];
    }
    if (typeof action !== 'string' || action.trim() === '') {
      return [...thinking, ...chatParts({ content, origin: 'model' })];
    }
    commands += 1;
    running = `command-${commands}`;
    const said = typeof thought === 'string' && isBefore({ thought, content, action }) ? thought : content;
    const call = { type: 'tool_call', origin: 'model', id: running, name: 'bash' } as const;
    return [
      ...thinking,
      ...chatParts({ content: said, origin: 'model' }),
      { ...call, arguments: JSON.stringify({ command: action }) },
    ];
  }
}

/** Whether a text is nothing but the thought and then the command, however that is fenced. */
function isBefore(of: { readonly thought: string; readonly content: Json | undefined; readonly action: string }) {
  const { thought, content, action } = of;
  if (typeof content !== 'string' || !content.startsWith(thought)) return false;
  const [before = '', after = ''] = content.slice(thought.length).split(action.trim(), 2);
  return content.includes(action.trim(), thought.length) && /^[\s`<>/a-z]*$/.test(before + after);
}

function result({ callId, content }: { readonly callId: string; readonly content: Json | undefined }): ToolResultPart {
  return { type: 'tool_result', origin: 'tool', callId, content: chatParts({ content, origin: 'tool' }) };
}

/** SWE-agent allows one call an answer. */
function firstOf(ids: Json | undefined): string {
  const [id] = isArray(ids) ? ids : [];
  return typeof id === 'string' ? id : '';
}

/** An example in the prompt: nobody said or did any of it. */
function shown({ role, parts }: Message): Message {
  return {
    role,
    parts: parts.map((part): Part => {
      if (part.type !== 'tool_result') return { ...part, origin: 'engine' };
      return { ...part, origin: 'engine', content: part.content.map((inner) => ({ ...inner, origin: 'engine' })) };
    }),
  };
}
