import { WireFault } from '../failure/wire-fault.ts';

/**
 * The body of an answer, with a limit on its size and on the time between two pieces. What exceeds a limit errors the stream
 * with a `WireFault` and ends the connection; with `isCut` a body that is too large ends early instead.
 */
export function boundBody({
  body,
  limit,
  isCut,
  idleMs,
  stop,
  onEnd,
}: {
  readonly body: ReadableStream<Uint8Array>;
  readonly limit: number;
  readonly isCut: boolean;
  readonly idleMs: number;
  /** Ends the call; its reason is the fault. */
  readonly stop: AbortController;
  readonly onEnd: () => void;
}): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  stopped.catch(() => undefined);
  const onStop = () => reject(stop.signal.reason);
  stop.signal.addEventListener('abort', onStop, { once: true });
  if (stop.signal.aborted) onStop();
  let bytes = 0;

  const end = () => {
    stop.signal.removeEventListener('abort', onStop);
    onEnd();
  };
  const letGo = (reason: unknown) => {
    end();
    void reader.cancel(reason).catch(() => undefined);
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const message = `Nothing came for ${idleMs / 1000} s.`;
      const idle = setTimeout(() => stop.abort(new WireFault({ code: 'timeout', message })), idleMs);
      try {
        const { done, value } = await Promise.race([reader.read(), stopped]);
        if (done) {
          end();
          controller.close();
          return;
        }
        const room = limit - bytes;
        bytes += value.byteLength;
        if (bytes <= limit) {
          controller.enqueue(value);
          return;
        }
        if (!isCut) throw tooLarge({ what: 'An answer', limit });
        if (room > 0) controller.enqueue(value.subarray(0, room));
        controller.close();
        letGo('too large');
      } catch (error) {
        letGo(error);
        controller.error(error);
      } finally {
        clearTimeout(idle);
      }
    },
    cancel: letGo,
  });
}

/** The fault for something that is larger than its limit. */
export function tooLarge({ what, limit }: { readonly what: string; readonly limit: number }): WireFault {
  return new WireFault({
    code: 'too-large',
    message: `${what} was larger than ${limit} bytes and was not read further.`,
  });
}
