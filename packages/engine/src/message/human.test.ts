import { expect, test } from 'vitest';
import { isEngineMessage, isHumanMessage, isPrompt } from './human.ts';
import type { Message, Origin, Part, TextPart } from './message.ts';

const text = (origin: Origin): TextPart => ({ type: 'text', origin, text: 'x' });
const result: Part = { type: 'tool_result', origin: 'tool', callId: 'c', content: [text('tool')] };

test.each<[string, Message, { human: boolean; prompt: boolean; engine: boolean }]>([
  ['words of a person', { role: 'user', parts: [text('human')] }, { human: true, prompt: true, engine: false }],
  [
    'words of a person next to a reminder',
    { role: 'user', parts: [text('engine'), text('human')] },
    { human: true, prompt: true, engine: false },
  ],
  [
    'words of a person next to a tool result',
    { role: 'user', parts: [result, text('human')] },
    { human: true, prompt: true, engine: false },
  ],
  ['a tool result', { role: 'user', parts: [result] }, { human: false, prompt: false, engine: false }],
  ['a tool message', { role: 'tool', parts: [result] }, { human: false, prompt: false, engine: false }],
  ['a reminder', { role: 'user', parts: [text('engine')] }, { human: false, prompt: false, engine: true }],
  [
    'the task that a model gives a sub-agent',
    { role: 'user', parts: [text('model')] },
    { human: false, prompt: true, engine: false },
  ],
  ['a system message', { role: 'system', parts: [text('human')] }, { human: false, prompt: false, engine: true }],
  ['an answer', { role: 'assistant', parts: [text('model')] }, { human: false, prompt: false, engine: false }],
])('%s', (_, message, expected) => {
  const [human, prompt, engine] = [isHumanMessage(message), isPrompt(message), isEngineMessage(message)];
  expect({ human, prompt, engine }).toEqual(expected);
});
