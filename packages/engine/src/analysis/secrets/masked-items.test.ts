import { expect, test } from 'vitest';
import { call, human, itemsOf, model, result } from '../../engine/fixtures/items.ts';
import { shorten } from '../shrink/shorten.ts';
import { createMask } from './mask.ts';
import { maskedItems } from './masked-items.ts';

const mask = createMask({ keepsLines: true });
const key = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

test('secrets are masked everywhere, and items without one are unchanged', () => {
  const items = itemsOf(human(`use ${key}`), model('fine'), call('a', 'run', { key }), result('a', `${key} is bad`));
  const safe = maskedItems({ items, mask });
  expect(JSON.stringify(safe)).not.toContain(key.slice(4, 20));
  expect(JSON.stringify(safe).match(/\[secret:/g)).toHaveLength(3);
  expect(safe[1]).toBe(items[1]);
});

test('a multi-line key keeps the line numbers of the rest', () => {
  const pem = `-----BEGIN PRIVATE KEY-----\n${'abc+/def\n'.repeat(20)}-----END PRIVATE KEY-----`;
  const [item] = maskedItems({ items: itemsOf(human(`one\n${pem}\nlast`)), mask });
  const [part] = item?.message.parts ?? [];
  const text = part?.type === 'text' ? part.text : '';
  expect(text).not.toContain('abc+');
  expect(text.split('\n').indexOf('last')).toBe(23);
});

test('arguments stay valid JSON if the key swallows an escape', () => {
  const args = { command: 'run "DB_PASSWORD=hunter22abc" now', note: 'export DB_PASSWORD=hunter22abc\\"' };
  const [item] = maskedItems({ items: itemsOf(call('a', 'run', args)), mask });
  const [part] = item?.message.parts ?? [];
  const written = part?.type === 'tool_call' ? part.arguments : '';
  expect(written).not.toContain('hunter22');
  expect(Object.keys(JSON.parse(written))).toEqual(['command', 'note']);
});

test('a placeholder is never cut', () => {
  const text = createMask()(`${'word '.repeat(20)}${key} ${key} ${'end '.repeat(20)}`);
  for (let limit = 40; limit < text.length; limit += 1) {
    const short = shorten({ text, limit, count: (all) => all.length, note: () => '[…]' });
    expect(short.replace(/\[secret:[0-9a-f]{6}\]/g, '')).not.toMatch(/secret|[0-9a-f]{3,}\]/);
  }
});
