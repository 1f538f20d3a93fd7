import { setTimeout } from 'node:timers/promises';
import type { Message } from 'longhaul/message';
import type { Model } from 'longhaul/models';

/** The time of a story: it passes when the story says so, and the model in it takes its own. */
export interface Story {
  readonly now: () => number;
  /** The model of the story. It is asked for nothing but summaries, and takes a while for each. */
  readonly model: Model;
  /** How long it takes. Milliseconds. */
  readonly takes: number;
  /** Lets time pass: the model answers when its time has come. */
  readonly pass: (ms: number) => Promise<void>;
  /** Somebody waits for the model: time passes until it answers. */
  readonly wait: () => Promise<void>;
  /** How often somebody did. */
  readonly waits: () => number;
}

const words = `<summary><title>Billing moves to gRPC</title>
## Progress
The modules of the billing service are ported to gRPC one after the other. Each is read, rewritten around the generated
decoder, and its tests are run before the next one is begun.
</summary>`;

const answer: Message = { role: 'assistant', parts: [{ type: 'text', origin: 'model', text: words }] };

/**
 * A story with a model from a script. `isBusy` tells whether a summary is being made: what the engine does before it asks
 * and after it was answered takes real time, and none of the story's.
 *
 * @example
 * const story = createStory({ begin: io.now(), takes: 45_000, of: target, isBusy: () => session.job.state === 'running' });
 */
export function createStory({
  begin,
  takes,
  of,
  isBusy,
}: {
  readonly begin: number;
  readonly takes: number;
  readonly of: Omit<Model, 'stream'>;
  readonly isBusy: () => boolean;
}): Story {
  let [now, waits] = [begin, 0];
  const asked = new Set<{ readonly at: number; readonly answer: () => void }>();
  const move = async (to: number) => {
    now = Math.max(now, to);
    for (const request of asked) {
      if (request.at > now) continue;
      asked.delete(request);
      request.answer();
    }
    await settled();
  };
  return {
    now: () => now,
    takes,
    waits: () => waits,
    model: {
      ...of,
      async *stream({ signal }) {
        await new Promise<void>((resolve) => {
          const request = { at: now + takes, answer: resolve };
          asked.add(request);
          const leave = () => asked.delete(request) && resolve();
          signal?.addEventListener('abort', leave, { once: true });
        });
        if (signal?.aborted) return yield { type: 'end', reason: 'aborted', message: { role: 'assistant', parts: [] } };
        yield { type: 'text', delta: words };
        yield { type: 'end', reason: 'stop', message: answer };
      },
    },
    pass: async (ms) => {
      await settled();
      await move(now + ms);
    },
    wait: async () => {
      waits += 1;
      await move(Math.max(now, ...[...asked].map(({ at }) => at)));
    },
  };

  async function settled(): Promise<void> {
    do await setTimeout(1);
    while (asked.size === 0 && isBusy());
  }
}
