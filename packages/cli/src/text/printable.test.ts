import { expect, test } from 'vitest';
import { printable } from './printable.ts';

test('escape sequences and line breaks from outside do not reach the terminal', () => {
  expect(printable('a\u001b[2Jb\nc\td\r\u009b')).toBe('a\\u001b[2Jb\\nc\\td\\u000d\\u009b');
});

test('marks that turn the reading direction are spelled out', () => {
  expect(printable('safe\u202egpj.exe')).toBe('safe\\u202egpj.exe');
});

test('all scripts and composed emoji stay as they are', () => {
  const text = 'naïve 数据 हिन्दी می‌خواهم 👩‍💻';
  expect(printable(text)).toBe(text);
});
