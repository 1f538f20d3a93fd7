import { describe, expect, it } from 'vitest';
import { damaged, gone } from './fixtures/damage.ts';
import { judge } from './index.ts';

const specimen = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'read', response: {} } }] },
  ],
  tools: [{ functionDeclarations: [{ name: 'read' }] }],
};

const rows: [path: string, value: unknown, message: string][] = [
  ['systemInstruction', 'Be brief.', "Invalid value at 'system_instruction'"],
  ['contents', gone, 'contents is not specified'],
  ['contents[0]', 'hi', "Invalid value at 'contents[0]'"],
  ['contents[0].parts', gone, 'contents.parts must not be empty'],
  ['contents[0].parts[0]', 'hi', "Invalid value at 'contents[0].parts[0]'"],
  ['contents[0].parts[0].text', 1, "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING)"],
  ['contents[1].parts[0].functionCall', 'read', "Invalid value at 'contents[1].parts[0].function_call'"],
  ['contents[1].parts[0].functionCall.name', gone, 'function_call.name: Name cannot be empty.'],
  ['contents[1].parts[0].functionCall.name', 'a b', 'function_call.name: Invalid function name.'],
  ['contents[1].parts[0].functionCall.arguments', '{}', 'Unknown name "arguments"'],
  ['contents[2].parts[0].functionResponse.response', gone, 'function_response.response'],
  ['tools', {}, "Invalid value at 'tools'"],
  ['tools[0].functionDeclarations[0].name', gone, 'Invalid function name.'],
];

describe('the Gemini judge on shapes', () => {
  it('accepts the specimen, and a call without arguments', () => {
    expect(judge({ dialect: 'gemini', body: specimen })).toEqual({ legal: true });
    const bare = damaged({ body: specimen, path: 'contents[1].parts[0].functionCall.args', value: gone });
    expect(judge({ dialect: 'gemini', body: bare })).toEqual({ legal: true });
  });

  it.each(rows)('rejects it with %s %s', (path, value, message) => {
    const verdict = judge({ dialect: 'gemini', body: damaged({ body: specimen, path, value }) });
    expect(verdict).toMatchObject({ legal: false, status: 400, message: expect.stringContaining(message) });
  });
});
