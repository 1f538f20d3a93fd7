import { type Dialect, type Message, user } from 'longhaul/message';
import type { Model } from 'longhaul/models';
import { createModel } from 'longhaul/models/clients';
import { type Loopback, type LoopbackOptions, startLoopback } from 'longhaul/testing';

/** A name whose model speaks the dialect, and the way from the loopback's address to its base URL. */
const ways: Readonly<Record<Dialect, { readonly name: string; readonly path: string }>> = {
  anthropic: { name: 'anthropic/claude-opus-4-6', path: '' },
  'openai-responses': { name: 'openai/gpt-5', path: '/v1' },
  'openai-chat': { name: 'openrouter/openai/gpt-4.1', path: '/v1' },
  gemini: { name: 'google/gemini-2.5-pro', path: '' },
};

export interface Connected extends AsyncDisposable {
  readonly loopback: Loopback;
  readonly model: Model;
}

/** A real client and, where its provider would be, the loopback. */
export async function connect({
  dialect,
  window,
  ...options
}: LoopbackOptions & { readonly dialect: Dialect; readonly window?: number }): Promise<Connected> {
  const loopback = await startLoopback({ ...options, ...(window !== undefined && { window }) });
  const { name, path } = ways[dialect];
  const model = await createModel({ name, baseUrl: `${loopback.url}${path}`, apiKey: 'test-key', retry: false });
  const info = window === undefined ? model.info : { ...model.info, window, inputLimit: window };
  if (model.dialect !== dialect) throw new Error(`${name} speaks ${model.dialect}.`);
  return { loopback, model: { ...model, info }, [Symbol.asyncDispose]: () => loopback.close() };
}

export function say(text: string): Message {
  return user(text);
}

export function system(text: string): Message {
  return { role: 'system', parts: [{ type: 'text', origin: 'engine', text }] };
}
