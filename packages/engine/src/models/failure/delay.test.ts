import { describe, expect, test } from 'vitest';
import { readDelay } from './classify.ts';

const of = (headers: Record<string, string>, now?: number) =>
  readDelay({ header: (name) => headers[name], texts: [], now });
const inText = (text: string) => readDelay({ header: () => undefined, texts: [text] });

describe('headers', () => {
  test('retry-after-ms is finer and wins', () => {
    expect(of({ 'retry-after-ms': '1500', 'retry-after': '2' })).toBe(1500);
  });

  test('retry-after in seconds', () => {
    expect(of({ 'retry-after': '20' })).toBe(20_000);
    expect(of({ 'retry-after': '0.5' })).toBe(500);
  });

  test('retry-after as a date counts from now, or from the answer’s own date', () => {
    const date = 'Sun, 15 Nov 2026 10:00:30 GMT';
    expect(of({ 'retry-after': date }, Date.UTC(2026, 10, 15, 10, 0, 0))).toBe(30_000);
    expect(of({ 'retry-after': date, date: 'Sun, 15 Nov 2026 10:00:10 GMT' })).toBe(20_000);
    expect(of({ 'retry-after': date }, Date.UTC(2026, 10, 15, 11, 0, 0))).toBe(0);
    expect(of({ 'retry-after': date })).toBeUndefined();
  });

  test('nonsense is no delay', () => {
    expect(of({ 'retry-after': 'soon', 'retry-after-ms': 'NaN' })).toBeUndefined();
  });
});

test.each([
  ['{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12s"}', 12_000],
  ["{'@type': 'google.rpc.RetryInfo', 'retryDelay': '47.5s'}", 47_500],
  ['{\\"retryDelay\\": \\"3s\\"}', 3000],
  ['Please try again in 1.2s.', 1200],
  ['Please try again in 350ms', 350],
  ['Please retry in 38.53s.', 38_530],
  ['Please try again in 6m0s.', 360_000],
  ['try again in 1m30.5s', 90_500],
  ['Please retry after 20 seconds.', 20_000],
  ['try again in 2 minutes', 120_000],
  ['try again in 1 hour', 3_600_000],
])('%s', (text, expected) => {
  expect(inText(text)).toBe(expected);
});

test.each(['please try again', 'try again in a moment', 'retry in 5 places'])('no delay in «%s»', (text) => {
  expect(inText(text)).toBeUndefined();
});
