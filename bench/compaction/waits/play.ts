import { createEngine, type EngineSession, type Policy } from 'longhaul/engine';
import { type Message, system } from 'longhaul/message';
import { createMemoryStore } from 'longhaul/session';
import { randomFrom } from './random.ts';
import { scriptOf } from './script.ts';
import { createWorld } from './world.ts';

/** What a session came to. Times in milliseconds of its own clock. */
export interface Played {
  readonly preset: string;
  readonly requests: number;
  /** The requests that were not ready at once, and how long each took. */
  readonly waits: readonly number[];
  readonly compactions: number;
  /** Those of them that a model has worded. */
  readonly worded: number;
  readonly epochs: number;
  /** Tokens of all requests together, and what of them the provider's cache did not have. */
  readonly sent: number;
  readonly anew: number;
  readonly hours: number;
}

/** Lifetime of an unused cache. Milliseconds. */
const lifetime = 300_000;

const head: readonly Message[] = [system('You are a careful engineer.')];

/** Plays a session with a policy: the same session, the same model, the same clock for all of them. */
export async function play(of: {
  readonly policy: Policy;
  readonly rounds: number;
  readonly window: number;
  readonly count: (text: string) => number;
}): Promise<Played> {
  const { policy, rounds, window, count } = of;
  const world = createWorld({ seed: 7, window });
  const { model, clock, summarizer } = world;
  const engine = await createEngine({
    store: createMemoryStore(),
    tokenizer: { count },
    policy,
    summarizer,
    clock,
    random: randomFrom(11),
  });
  const session = await engine.create();
  const reported = tally(session);
  world.watch({ isMaking: () => session.job.state === 'running', isWaiting: followWaits(session) });
  const started = clock.now();
  const waits: number[] = [];
  let [sent, anew, requests] = [0, 0, 0];
  let last: { readonly epoch: string | null; readonly tokens: number; readonly at: number } | undefined;
  for (const { added, answer, answering, after } of scriptOf({ seed: 3, rounds })) {
    const { value, waited } = await world.waitFor(session.prepare({ model, head, turn: { messages: [added] } }));
    requests += 1;
    if (waited > 0) waits.push(waited);
    const { tokens, epoch } = value;
    const isWarm = last?.epoch === epoch && clock.now() - last.at <= lifetime;
    const cacheRead = isWarm ? Math.min(last?.tokens ?? 0, tokens) : 0;
    sent += tokens;
    anew += tokens - cacheRead;
    await world.pass(answering);
    last = { epoch, tokens, at: clock.now() };
    await session.report({ usage: { input: 0, cacheRead, cacheWrite: tokens - cacheRead } });
    await session.append({ type: 'message', message: answer });
    await world.pass(after);
  }
  const hours = (clock.now() - started) / 3_600_000;
  return { preset: policy.name, requests, waits, sent, anew, hours, ...reported() };
}

/** Whether a request waits: by its decision, or because it starts a summary in the foreground. */
function followWaits(session: EngineSession): () => boolean {
  let isWaiting = false;
  session.on('decision', ({ decision }) => {
    isWaiting = decision === 'wait';
  });
  session.on('jobStart', ({ trigger }) => {
    if (trigger !== 'background') isWaiting = true;
  });
  return () => isWaiting;
}

function tally(session: EngineSession): () => Pick<Played, 'compactions' | 'worded' | 'epochs'> {
  let [compactions, worded, epochs] = [0, 0, 0];
  session.on('epoch', () => {
    epochs += 1;
  });
  session.on('compactionComplete', ({ installed, strategy }) => {
    if (!installed) return;
    compactions += 1;
    if (strategy !== 'extractive') worded += 1;
  });
  return () => ({ compactions, worded, epochs });
}
