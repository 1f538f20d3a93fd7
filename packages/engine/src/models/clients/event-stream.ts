import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type BodyReader, tooLarge } from '../wire/bound-body.ts';

/** How much of an answer that is no stream is looked at to say what it is. */
const kept = 4000;

/** An answer that was to be a stream of events and is something else: a page, an error in plain JSON, nothing. */
export class NoStream extends Error {
  override readonly name = 'NoStream';
  readonly text: string;

  constructor({ text }: { readonly text: string }) {
    super('The answer is no stream of events.');
    this.text = text;
  }
}

/**
 * The events of an answer, as they come. What a character or an event is does not depend on where the bytes were cut.
 * Stopping early releases the connection. An event above the limit ends it with a `WireFault`.
 */
export async function* readEvents({
  reader,
  limit,
}: {
  readonly reader: BodyReader | undefined;
  /** The largest event, in characters. */
  readonly limit: number;
}): AsyncGenerator<string> {
  if (!reader) throw new NoStream({ text: '' });
  const decoder = new TextDecoder();
  let ready: EventSourceMessage[] = [];
  let isTooLarge = false;
  const parser = createParser({
    onEvent: (event) => void ready.push(event),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: limit,
  });
  let start = '';
  let count = 0;
  let isOpen = true;
  try {
    while (isOpen) {
      const { done, value } = await reader.read();
      isOpen = !done;
      // A last event without its blank line was not cut where its JSON is whole; the reader of it decides.
      const text = done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true });
      if (count === 0 && start.length < kept) start += text.slice(0, kept);
      parser.feed(text);
      if (isTooLarge) throw tooLarge({ what: 'An event of the answer', limit });
      for (const { data } of ready) {
        count += 1;
        yield data;
      }
      ready = [];
    }
  } finally {
    if (isOpen) drain(reader);
  }
  if (count === 0) throw new NoStream({ text: start.trim() });
}

/** What follows the end is read for a moment, so that the connection can be used again, and then given up. */
function drain(reader: BodyReader): void {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), 500);
  timer.unref();
  const rest = async () => {
    while (!(await reader.read()).done);
  };
  rest().then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  );
}
