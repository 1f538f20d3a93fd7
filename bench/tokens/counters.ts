import { fileURLToPath } from 'node:url';
import type { Encoding } from 'longhaul/tokens';

export type Count = (text: string) => number;

/** Each loader imports only its own library: it runs in a process of its own. Special-token text is ordinary text. */
export const counters: Record<string, (encoding: Encoding) => Promise<Count>> = {
  longhaul: async (encoding) => (await (await import('longhaul/tokens')).createTokenizer(encoding)).count,
  tiktoken: async (encoding) => {
    const oracle = (await import('tiktoken')).get_encoding(encoding);
    return (text) => oracle.encode(text, [], []).length;
  },
  'gpt-tokenizer': async (encoding) => {
    const { countTokens } = await (encoding === 'o200k_base'
      ? import('gpt-tokenizer/encoding/o200k_base')
      : import('gpt-tokenizer/encoding/cl100k_base'));
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  },
  '@microsoft/tiktokenizer': async (encoding) => {
    const { createTokenizer, getRegexByEncoder } = await import('@microsoft/tiktokenizer');
    const ranks = fileURLToPath(import.meta.resolve(`gpt-tokenizer/data/${encoding}.tiktoken`));
    const tokenizer = createTokenizer(ranks, new Map(), getRegexByEncoder(encoding), 64_000);
    return (text) => tokenizer.encode(text).length;
  },
  'ai-tokenizer': async (encoding) => {
    const { Tokenizer } = await import('ai-tokenizer');
    const data = await (encoding === 'o200k_base'
      ? import('ai-tokenizer/encoding/o200k_base')
      : import('ai-tokenizer/encoding/cl100k_base'));
    const tokenizer = new Tokenizer(data);
    return (text) => tokenizer.encode(text, [], []).length;
  },
};
