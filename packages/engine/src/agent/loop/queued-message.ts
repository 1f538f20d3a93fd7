import type { Message } from '../../message/index.ts';

/** Something that is to be said to the model, once: the key makes a second time the same. */
export interface Saying {
  readonly message: Message;
  readonly key: string;
  readonly how: 'prompt' | 'steered' | 'queued' | 'continuation';
}

/** What a person says. */
export function spoken(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', origin: 'human', text }] };
}

/** What the engine says for itself. It has no authority of a person. */
export function remark(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', origin: 'engine', text }] };
}

/** The words of a message, without what was thought, called or shown. */
export function wordsOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}
