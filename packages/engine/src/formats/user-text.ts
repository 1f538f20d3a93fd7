import { codecs, type TextPart } from '../message/index.ts';

/** The words of a person, unless a client wrapped its own text in them. */
export function userText(text: string): TextPart {
  const [part] = codecs.anthropic.decode([{ role: 'user', content: text }])[0]?.parts ?? [];
  return { type: 'text', origin: part?.origin ?? 'human', text };
}
