import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { isAbort } from './abort.ts';

test('recognizes what an aborted signal, undici and the SDKs throw', async () => {
  const error = await fetch('http://127.0.0.1:9', { signal: AbortSignal.abort() }).catch((thrown: unknown) => thrown);
  expect(isAbort(error)).toBe(true);
  expect(isAbort(new Anthropic.APIUserAbortError())).toBe(true);
  expect(isAbort(new OpenAI.APIUserAbortError())).toBe(true);
  expect(isAbort(new Error('outer', { cause: Object.assign(new Error('x'), { code: 'UND_ERR_ABORTED' }) }))).toBe(true);
});

test('a timeout and everything else is no abort', () => {
  expect(isAbort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))).toBe(false);
  for (const value of [undefined, null, 'AbortError', 42, {}, new Error('aborted')]) expect(isAbort(value)).toBe(false);
});
