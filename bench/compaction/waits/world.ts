import { setTimeout } from 'node:timers/promises';
import { createModelSummarizer, type Summarizer } from 'longhaul/engine';
import { type Model, modelInfo } from 'longhaul/models';
import { createClock, scriptedModel } from 'longhaul/testing';
import { randomFrom } from './random.ts';

/** A model that summarizes in its own time, and a clock that knows who is waiting for whom. */
export interface World {
  readonly model: Model;
  readonly summarizer: Summarizer;
  readonly clock: { readonly now: () => number; readonly sleep: (ms: number, signal: AbortSignal) => Promise<void> };
  /** Lets time pass; what the model says meanwhile is taken in before it is over. */
  readonly pass: (ms: number) => Promise<void>;
  /** Whom to ask about the engine. */
  readonly watch: (watched: Watched) => void;
  /** Waits for work, and lets time pass where it waits for the model. The milliseconds that passed. */
  readonly waitFor: <T>(work: Promise<T>) => Promise<{ readonly value: T; readonly waited: number }>;
}

/** By the engine's own account. */
interface Watched {
  /** A summary is being made. */
  readonly isMaking: () => boolean;
  /** A request waits for one. */
  readonly isWaiting: () => boolean;
}

/** A model that summarizes takes from one second to a minute. */
const latency = { least: 1_000, most: 60_000 };

/** Limit for real work; longer means that something waits for a timer that is not simulated. Milliseconds of real time. */
const patience = 20_000;

const summary = `<summary><title>The parts</title>
## Progress
${'One part after the other was looked at, and what did not agree was made to agree. '.repeat(6)}
</summary>`;

export function createWorld({ seed, window }: { readonly seed: number; readonly window: number }): World {
  const fake = createClock();
  const random = randomFrom(seed);
  /** When the model will answer, for each request to it that is under way. */
  const answers = new Set<number>();
  /** Summaries that are being made, by the model or around its words. */
  let making = 0;
  let watched: Watched = { isMaking: () => false, isWaiting: () => false };

  const script = () => ({ text: summary, delayMs: latency.least + random() * (latency.most - latency.least) });
  const { stream } = scriptedModel({ script, clock: { sleep: asleep } });
  const name = 'claude-sonnet-4-5';
  const { inputLimit: _, ...info } = modelInfo({ name });
  const model: Model = { id: { provider: 'anthropic', name }, dialect: 'anthropic', info: { ...info, window }, stream };
  const made = createModelSummarizer({ models: [model], clock: fake });

  return {
    model,
    summarizer: {
      ...made,
      async summarize(input) {
        making += 1;
        try {
          return await made.summarize(input);
        } finally {
          making -= 1;
        }
      },
    },
    clock: fake,
    watch(engine) {
      watched = engine;
    },
    async pass(ms) {
      const end = fake.now() + ms;
      await settled();
      while (fake.now() < end) {
        await fake.advance(Math.min(end, ...answers) - fake.now());
        await settled();
      }
    },
    async waitFor(work) {
      const [begun, started] = [fake.now(), performance.now()];
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      for (let look = 0; !isDone; look += 1) {
        // Most are done at once; for others the worker needs the processor more than we do.
        await (look < 50 ? moment() : setTimeout(2));
        const isStuck = watched.isWaiting() || performance.now() - started > patience;
        if (isDone || !isStuck || answers.size === 0) continue;
        await fake.advance(Math.max(0, Math.min(...answers) - fake.now()));
        await settled();
      }
      return { value: await done, waited: fake.now() - begun };
    },
  };

  async function asleep(ms: number, signal?: AbortSignal): Promise<void> {
    const at = fake.now() + ms;
    answers.add(at);
    try {
      await fake.sleep(ms, signal);
    } finally {
      answers.delete(at);
    }
  }

  /**
   * What is done before a model is asked and around its words takes real time, in a worker: next to nothing compared with the
   * model's, so no time passes meanwhile.
   */
  async function settled(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet += 1) {
      await moment();
      while (making > answers.size || (answers.size === 0 && watched.isMaking())) {
        quiet = 0;
        await setTimeout(2);
      }
    }
  }
}

function moment(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
