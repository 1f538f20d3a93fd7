import { expect, it } from 'vitest';
import { codecs, type JsonObject } from '../../../message/index.ts';
import { counter, decodeAll } from './fixtures.fixture.ts';
import { createGeminiDecoder } from './gemini.ts';

const read = (events: readonly JsonObject[]) =>
  decodeAll({ decoder: createGeminiDecoder({ newId: counter() }), events });
const chunk = (parts: readonly JsonObject[], finishReason?: string, more: JsonObject = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), ...more }],
});

it('only unsigned texts flow together, and every signature keeps its place', () => {
  const { message } = read([
    chunk([{ text: 'Hm', thought: true }]),
    chunk([{ text: 'm.', thought: true }]),
    chunk([{ text: 'So ' }]),
    chunk([{ text: 'it is', thoughtSignature: 'a' }]),
    chunk([{ text: '.' }]),
    chunk([{ executableCode: { language: 'PYTHON', code: '1' } }]),
    chunk([{ functionCall: { id: 'c', name: 'read', args: { n: 1 } }, thoughtSignature: 'b' }]),
    chunk([{ text: '', thoughtSignature: 'c' }], 'STOP'),
  ]);
  expect(codecs.gemini.encode([message])).toEqual([
    {
      role: 'model',
      parts: [
        { text: 'Hmm.', thought: true },
        { text: 'So ' },
        { text: 'it is', thoughtSignature: 'a' },
        { text: '.' },
        { executableCode: { language: 'PYTHON', code: '1' } },
        { functionCall: { id: 'c', name: 'read', args: { n: 1 } }, thoughtSignature: 'b' },
        { text: '', thoughtSignature: 'c' },
      ],
    },
  ]);
});

it('calls without ids get ids here, and are sent back without', () => {
  const { message, heard, ending } = read([
    chunk([{ functionCall: { name: 'ls', args: {} } }, { functionCall: { name: 'ls', args: {} } }], 'STOP'),
  ]);
  expect(ending).toEqual({ reason: 'tool_calls' });
  expect(message.parts).toMatchObject([{ id: 'made_1' }, { id: 'made_2' }]);
  expect(heard.flatMap((event) => (event.type === 'tool_call' ? [event.call.id] : []))).toEqual(['made_1', 'made_2']);
  expect(JSON.stringify(codecs.gemini.encode([message]))).not.toContain('made_1');
});

it.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'BLOCKLIST'])('%s is a refusal', (reason) => {
  expect(read([chunk([], reason)]).ending).toMatchObject({ reason: 'refused', failure: { kind: 'refused' } });
});

it('a prompt that was blocked is a refusal', () => {
  const { ending, message } = read([{ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }]);
  expect(ending).toMatchObject({ reason: 'refused', failure: { kind: 'refused', retryable: false } });
  expect(message).toEqual({ role: 'assistant', parts: [] });
});

it('a call that its own server cannot read is a failure that may pass', () => {
  const { ending } = read([chunk([], 'MALFORMED_FUNCTION_CALL', { finishMessage: 'Malformed function call: print(' })]);
  expect(ending).toMatchObject({ reason: 'failed', failure: { kind: 'unknown', retryable: true } });
});

it.each(['TOO_MANY_TOOL_CALLS', 'IMAGE_OTHER', 'OTHER'])('%s is no good end', (reason) => {
  expect(read([chunk([{ text: 'So' }], reason)]).ending).toMatchObject({ reason: 'failed' });
});

it('a limit of its own that the provider met cuts the answer', () => {
  expect(read([chunk([{ text: 'So' }], 'CONTINUATION')]).ending).toEqual({ reason: 'length' });
});

it('a stream without a reason broke off', () => {
  expect(read([chunk([{ text: 'So' }])]).ending).toBeUndefined();
});
