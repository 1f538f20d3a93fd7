/** A text that a person or a tool put into a conversation. */
export interface Spoken {
  readonly speaker: 'human' | 'tool';
  readonly text: string;
}

type Members = Readonly<Record<string, unknown>>;

interface Shape {
  readonly speaker: Spoken['speaker'];
  readonly is: (value: Members) => boolean;
  /** Position of the text in the value. */
  readonly at: readonly string[];
}

/** How agents write down what people and tools say: by the shape of a value alone, wherever in a file it is. */
const shapes: readonly Shape[] = [
  { speaker: 'human', is: ({ role }) => role === 'user', at: ['content'] },
  { speaker: 'human', is: ({ type }) => type === 'user', at: ['content'] },
  { speaker: 'human', is: ({ type }) => type === 'user.message', at: ['data', 'content'] },
  { speaker: 'human', is: ({ info }) => isMembers(info) && info.role === 'user', at: ['parts'] },
  { speaker: 'human', is: ({ action }) => action === 'message', at: ['content'] },
  { speaker: 'human', is: ({ action }) => action === 'message', at: ['args', 'content'] },
  { speaker: 'tool', is: ({ role }) => role === 'tool' || role === 'toolResult', at: ['content'] },
  { speaker: 'tool', is: ({ type }) => type === 'tool_result', at: ['content'] },
  { speaker: 'tool', is: ({ type }) => /_call_output$/.test(String(type)), at: ['output'] },
  { speaker: 'tool', is: ({ type }) => type === 'tool.execution_complete', at: ['data', 'result', 'content'] },
  { speaker: 'tool', is: ({ type }) => type === 'tool', at: ['state', 'output'] },
  {
    speaker: 'tool',
    is: ({ functionResponse }) => isMembers(functionResponse),
    at: ['functionResponse', 'response', 'output'],
  },
  { speaker: 'tool', is: ({ observation }) => typeof observation === 'string', at: ['content'] },
];

/** What people and tools say somewhere in a value. Copies that agents keep for their screens are passed over. */
export function* spokenIn(value: unknown): Generator<Spoken> {
  if (Array.isArray(value)) {
    for (const item of value) yield* spokenIn(item);
  } else if (isMembers(value) && value.type !== 'progress') {
    for (const { speaker, is, at } of shapes) {
      if (is(value)) for (const text of textsOf(at.reduce(member, value))) yield { speaker, text };
    }
    for (const [key, inner] of Object.entries(value)) if (key !== 'toolUseResult') yield* spokenIn(inner);
  }
}

function member(value: unknown, key: string): unknown {
  return isMembers(value) ? value[key] : undefined;
}

function textsOf(content: unknown): string[] {
  const list = Array.isArray(content) ? content : [content];
  return list.flatMap((item) => {
    const text = isMembers(item) ? item.text : item;
    return typeof text === 'string' && text.trim() !== '' ? [text] : [];
  });
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
