import { WireFault } from '../failure/wire-fault.ts';

/** Reads the bytes of a body piece by piece. The reader of a `ReadableStream` is one. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(reason?: unknown): Promise<void>;
}

/** All that a reader still gives, as text. */
export async function textOf(reader: BodyReader | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let isOpen = reader !== undefined; isOpen; ) {
    const { done = true, value } = (await reader?.read()) ?? {};
    text += decoder.decode(value, { stream: !done });
    isOpen = !done;
  }
  return text;
}

/**
 * The body of an answer, with a limit on its size and on the time between two pieces. What exceeds a limit rejects with a
 * `WireFault` and ends the connection; with `isCut` a body that is too large ends early instead.
 */
export function boundBody({
  reader,
  limit,
  isCut,
  idleMs,
  stop,
  onEnd,
}: {
  readonly reader: BodyReader;
  readonly limit: number;
  readonly isCut: boolean;
  readonly idleMs: number;
  /** Ends the call; its reason is the fault. */
  readonly stop: AbortController;
  readonly onEnd: () => void;
}): BodyReader {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  const onStop = () => reject(stop.signal.reason);
  stop.signal.addEventListener('abort', onStop, { once: true });
  if (stop.signal.aborted) onStop();
  let bytes = 0;
  let failure: { readonly reason: unknown } | undefined;
  let isOver = false;

  const end = () => {
    isOver = true;
    stop.signal.removeEventListener('abort', onStop);
    onEnd();
  };
  const letGo = (reason: unknown) => {
    end();
    void reader.cancel(reason).catch(() => undefined);
  };

  return {
    async read() {
      if (failure) throw failure.reason;
      if (isOver) return { done: true };
      const message = `Nothing came for ${idleMs / 1000} s.`;
      const idle = setTimeout(() => stop.abort(new WireFault({ code: 'timeout', message })), idleMs);
      try {
        const { done, value } = await Promise.race([reader.read(), stopped]);
        if (done || value === undefined) {
          end();
          return { done: true };
        }
        const room = limit - bytes;
        bytes += value.byteLength;
        if (bytes <= limit) return { done: false, value };
        if (!isCut) throw tooLarge({ what: 'An answer', limit });
        letGo('too large');
        return room > 0 ? { done: false, value: value.subarray(0, room) } : { done: true };
      } catch (error) {
        failure = { reason: error };
        letGo(error);
        throw error;
      } finally {
        clearTimeout(idle);
      }
    },
    async cancel(reason) {
      letGo(reason);
    },
  };
}

/** The fault for something that is larger than its limit. */
export function tooLarge({ what, limit }: { readonly what: string; readonly limit: number }): WireFault {
  return new WireFault({
    code: 'too-large',
    message: `${what} was larger than ${limit} bytes and was not read further.`,
  });
}
