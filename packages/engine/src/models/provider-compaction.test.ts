import { describe, expect, it } from 'vitest';
import type { Dialect, Message, Part } from '../message/index.ts';
import { isProviderCompaction } from '../message/internal.ts';
import { modelInfo } from './catalog/info.ts';
import {
  askForCompaction,
  readCompactionSignals,
  readsOnlyFrom,
  signedBy,
  withReadableCompaction,
} from './provider-compaction.ts';

const text = (words: string): Part => ({ type: 'text', origin: 'model', text: words });

function answer({ parts, dialect = 'anthropic' }: { parts: (string | null)[]; dialect?: Dialect }): Message {
  const blocks = parts.map((content): Part => {
    const value = { type: 'compaction', content };
    return { type: 'opaque', origin: 'model', dialect, kind: 'compaction', value };
  });
  return { role: 'assistant', parts: [...blocks, text('On.')] };
}

const claude = modelInfo({ provider: 'anthropic', name: 'claude-opus-5' });
const dialect = 'anthropic';
const contents = (messages: readonly Message[]) =>
  messages.flatMap(({ parts }) =>
    parts.filter(isProviderCompaction).map(({ value }) => (value as { content?: unknown }).content),
  );

describe('a provider that compacted more than once', () => {
  it('is sent the newest block only, and none that failed', () => {
    const messages = [answer({ parts: ['one'] }), answer({ parts: ['two', null] }), answer({ parts: [null] })];
    const sent = withReadableCompaction({ messages, dialect, info: claude });
    expect(contents(sent)).toEqual(['two']);
    expect(sent.map(({ parts }) => parts.at(-1))).toEqual(messages.map(({ parts }) => parts.at(-1)));
  });

  it('is not sent a message that was nothing else', () => {
    const [alone] = answer({ parts: ['one'] }).parts;
    const messages: Message[] = [{ role: 'assistant', parts: alone ? [alone] : [] }, answer({ parts: ['two'] })];
    expect(withReadableCompaction({ messages, dialect, info: claude })).toEqual([messages[1]]);
  });
});

describe('what one provider compacted', () => {
  const message = signedBy({ message: answer({ parts: ['one'] }), provider: 'anthropic' });

  it('goes to no other, which reads all that was said', () => {
    const info = modelInfo({ provider: 'amazon-bedrock', name: 'claude-opus-5' });
    expect(readsOnlyFrom({ message, dialect, info })).toBe(false);
    expect(contents(withReadableCompaction({ messages: [message], dialect, info }))).toEqual([]);
    expect(askForCompaction({ dialect, info, request: { items: [message], options: {} } }).headers).toEqual({});
    expect(readsOnlyFrom({ message, dialect, info: claude })).toBe(true);
    expect(contents(withReadableCompaction({ messages: [message], dialect, info: claude }))).toEqual(['one']);
  });

  it('goes to no model of its own that cannot compact, which is not asked to either', () => {
    const info = modelInfo({ provider: 'anthropic', name: 'claude-sonnet-4-5' });
    expect(readsOnlyFrom({ message, dialect, info })).toBe(false);
    expect(contents(withReadableCompaction({ messages: [message], dialect, info }))).toEqual([]);
    const request = { items: [message], options: { providerCompaction: {} } };
    expect(askForCompaction({ dialect, info, request })).toEqual({ body: {}, headers: {} });
  });
});

it('compaction_delta gives a signal, inside its event or alone; one that failed gives none', () => {
  const delta = { type: 'compaction_delta', content: 'The summary.' };
  for (const value of [delta, { type: 'content_block_delta', index: 0, delta }]) {
    expect(readCompactionSignals(value)).toEqual([{ kind: 'compaction', name: 'compaction_delta', value: delta }]);
  }
  expect(readCompactionSignals({ type: 'compaction_delta', content: null })).toEqual([]);
});
