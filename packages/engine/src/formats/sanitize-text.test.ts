import { expect, test } from 'vitest';
import type { Message, Part } from '../message/index.ts';
import type { Draft } from '../session/entry/entry.ts';
import { sanitizeText } from './sanitize-text.ts';

const wire = { dialect: 'anthropic' } as const;
const image = (data: string) =>
  ({ type: 'image', origin: 'tool', source: { kind: 'base64', mediaType: 'image/png', data } }) as const;
const said = (...parts: Part[]): Draft => ({ type: 'message', message: { role: 'assistant', parts } });

test('seals that a filter has spoilt are taken out, and stay in the details', () => {
  expect(
    sanitizeText(
      said(
        { type: 'thinking', origin: 'model', text: 'Hm.', signature: 'c2REDACTEDln', wire },
        { type: 'thinking', origin: 'model', text: '', encrypted: 'REDACTED', wire },
        { type: 'tool_call', origin: 'model', id: 'c1', name: 'ls', arguments: '{}', signature: 'REDACTED/s' },
      ),
    ),
  ).toEqual({
    type: 'message',
    message: {
      role: 'assistant',
      parts: [
        { type: 'thinking', origin: 'model', text: 'Hm.' },
        { type: 'thinking', origin: 'model', text: '' },
        { type: 'tool_call', origin: 'model', id: 'c1', name: 'ls', arguments: '{}' },
      ],
    },
    details: { spoilt: ['c2REDACTEDln', 'REDACTED', 'REDACTED/s'] },
  });
});

test('a text says where an image was, also in a result', () => {
  const draft = said(image('iVBORREDACTED'), {
    type: 'tool_result',
    origin: 'tool',
    callId: 'c1',
    content: [image('iVBORw'), image('REDACTED')],
  });
  const text = { type: 'text', origin: 'engine', text: '[An image was here. Its data was redacted.]' };
  expect(sanitizeText({ ...draft, details: { pi: {} } } as Draft)).toMatchObject({
    message: { parts: [text, { content: [image('iVBORw'), text] }] },
    details: { pi: {}, spoilt: ['iVBORREDACTED', 'REDACTED'] },
  });
});

test('what an epoch was made of is sound as well', () => {
  const made: Message = {
    role: 'assistant',
    parts: [{ type: 'thinking', origin: 'model', text: 'a', signature: 'REDACTED' }],
  };
  const draft: Draft = { type: 'epoch', reason: 'compaction', items: { list: [{ entry: 'e1' }, { made }] }, codec: 1 };
  expect(sanitizeText(draft)).toMatchObject({
    items: { list: [{ entry: 'e1' }, { made: { parts: [{ type: 'thinking', origin: 'model', text: 'a' }] } }] },
  });
  expect(JSON.stringify(sanitizeText(draft))).not.toContain('REDACTED');
});

test('words are nobody\u2019s seal', () => {
  const draft = said(
    { type: 'text', origin: 'model', text: 'It says REDACTED.' },
    { type: 'thinking', origin: 'model', text: 'REDACTED?', signature: 'c2ln', wire },
  );
  expect(sanitizeText(draft)).toBe(draft);
});
