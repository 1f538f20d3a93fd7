/** Conversations that tests put into files: legal ones, and ones with a known fault. */
export const anthropicLegal = [
  { role: 'user', content: 'list the files' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ls', input: { path: '.' } }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.txt' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'There is a.txt.' }] },
  { role: 'user', content: 'thanks' },
];

/** The call toolu_1 has no result. */
export const anthropicBroken = anthropicLegal.filter((_, index) => index !== 2);

export const openaiLegal = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'list the files' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' },
  { role: 'assistant', content: 'There is a.txt.' },
  { role: 'user', content: 'thanks' },
];

export const openaiBroken = openaiLegal.filter((_, index) => index !== 3);

export const responsesLegal = {
  model: 'gpt-5',
  instructions: 'Be brief.',
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list the files' }] },
    { type: 'function_call', call_id: 'call_1', name: 'ls', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' },
  ],
};

export const geminiLegal = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'list the files' }] },
    { role: 'model', parts: [{ functionCall: { name: 'ls', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'ls', response: { output: 'a.txt' } } }] },
  ],
};
