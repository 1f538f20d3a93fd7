import { describe, expect, test } from 'vitest';
import { assistant, type Part, user } from '../../message/index.ts';
import { begin } from '../../session/fixtures/sessions.ts';
import { exportFormats } from '../export.ts';
import { takeOut } from '../fixtures/bring-in.ts';
import { maskJson } from './masking.ts';

/** A mask with a secret of its own: what is one is the caller's to say. */
const mask = (text: string) => text.replace(/hush-\w+/g, '[key]').replace(/(password=")[^"]+/, '$1[key]');
const masked = <T>(value: T) => maskJson({ value: value as never, mask }) as T;
const part = (fields: object) => ({ origin: 'model', ...fields }) as unknown as Part;

describe('a mask', () => {
  test('leaves the value itself where there is nothing to mask', () => {
    const value = { list: ['a', { b: 1 }], none: null };
    expect(masked(value)).toBe(value);
  });

  test('reaches every text, also one that is secret by its name alone', () => {
    expect(masked({ a: ['x hush-1'], details: { password: 'swordfish' } })).toEqual({
      a: ['x [key]'],
      details: { password: '[key]' },
    });
  });

  test('leaves arguments JSON', () => {
    const call = part({ type: 'tool_call', id: 'c1', name: 'sh', arguments: '{"cmd":"echo \\"hush-1\\"","n":1}' });
    expect(masked(call)).toMatchObject({ arguments: '{"cmd":"echo \\"[key]\\"","n":1}' });
  });

  test('leaves ids and bytes alone, which hold calls together and are no words', () => {
    const call = part({ type: 'tool_call', id: 'hush-1', name: 'sh', arguments: '{}' });
    const image = part({ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'hush-1' } });
    expect(masked([call, image])).toEqual([call, image]);
  });

  test('takes away the proof of words that are not what was signed any more', () => {
    const wire = { dialect: 'anthropic' };
    const thought = part({ type: 'thinking', text: 'hush-1', signature: 'c2ln', wire });
    expect(masked(thought)).toEqual({ origin: 'model', type: 'thinking', text: '[key]' });
    expect(masked(part({ type: 'thinking', text: 'fine', signature: 'c2ln', wire }))).toHaveProperty('signature');
  });
});

test.each(exportFormats)('no secret leaves in the format %s, and a note says where there was one', async (format) => {
  const { store, session } = await begin();
  const { id } = await session.append({
    type: 'message',
    message: user('Use hush-1234.'),
  });
  await session.append({
    type: 'message',
    message: assistant('Fine.'),
  });
  await session.append({ type: 'session_info', info: { name: 'about hush-1234' } });
  await session.compact({ summary: 'It was hush-1234.', firstKeptId: id, tokensBefore: 9, trigger: 'test' });
  const { text, codes } = await takeOut({ store, session: session.id, format, mask });
  expect(text).not.toContain('hush-1234');
  expect(text).toContain('[key]');
  expect(codes).toContain('masked');
  expect((await takeOut({ store, session: session.id, format })).text).toContain('hush-1234');
});
