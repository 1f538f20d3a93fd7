/** The worker thread of `createBackgroundTokenizer`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type CountPart, type CountReply, placeOf, type WorkerSetup } from './background/protocol.ts';
import { countSteps } from './background/steps.ts';
import { createTokenizer } from './tokenizer.ts';

const { encoding, cancelled } = workerData as WorkerSetup;
const tokenizer = await createTokenizer(encoding);
const begun = new Map<number, string[]>();

parentPort?.on('message', ({ id, text, last }: CountPart) => {
  const parts = begun.get(id) ?? [];
  parts.push(text);
  if (!last) {
    begun.set(id, parts);
    return;
  }
  begun.delete(id);
  const value = countUnlessCancelled({ id, text: parts.join('') });
  parentPort?.postMessage({ id, value } satisfies CountReply);
});

function countUnlessCancelled({ id, text }: { id: number; text: string }): number | undefined {
  const steps = countSteps(tokenizer, text);
  for (;;) {
    if (Atomics.load(cancelled, placeOf(id)) === id) return undefined;
    const step = steps.next();
    if (step.done) return step.value;
  }
}
