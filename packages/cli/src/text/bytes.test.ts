import { expect, test } from 'vitest';
import { bytesText } from './bytes.ts';

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1023 bytes'],
  [1536, '1.5 KiB'],
  [67_108_864, '64 MiB'],
  [209_715_200, '200 MiB'],
])('%d is %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
