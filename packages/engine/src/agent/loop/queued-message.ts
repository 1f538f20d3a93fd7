import { type Message, user } from '../../message/index.ts';

/** A message for the model; the key makes sending it idempotent. */
export interface QueuedMessage {
  readonly message: Message;
  readonly key: string;
  readonly how: 'prompt' | 'steered' | 'queued' | 'continuation';
}

/** A message of the user. */
export function humanMessage(text: string): Message {
  return user(text);
}

/** A message of the engine, without the authority of a person. */
export function engineMessage(text: string): Message {
  return user(text, { origin: 'engine' });
}

/** The text of a message, without thinking, calls and media. */
export function textContent({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}
