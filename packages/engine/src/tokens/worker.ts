/** The worker thread of `createBackgroundTokenizer`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, type Part, placeOf, type WorkerSetup } from './background/protocol.ts';
import { countSteps } from './background/steps.ts';
import { createTokenizer } from './tokenizer.ts';

const { encoding, cancelled } = workerData as WorkerSetup;
const tokenizer = await createTokenizer(encoding);
const begun = new Map<number, string[]>();

parentPort?.on('message', ({ job, text, last }: Part) => {
  const parts = begun.get(job) ?? [];
  parts.push(text);
  if (!last) {
    begun.set(job, parts);
    return;
  }
  begun.delete(job);
  const count = countUnlessCancelled({ job, text: parts.join('') });
  const answer: Answer = count === undefined ? { job } : { job, count };
  parentPort?.postMessage(answer);
});

function countUnlessCancelled({ job, text }: { job: number; text: string }): number | undefined {
  const steps = countSteps(tokenizer, text);
  for (;;) {
    if (Atomics.load(cancelled, placeOf(job)) === job) return undefined;
    const step = steps.next();
    if (step.done) return step.value;
  }
}
