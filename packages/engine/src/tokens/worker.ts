/** The worker thread of `createBackgroundTokenizer`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type CountPart, type CountReply, placeOf, type WorkerSetup } from './background/protocol.ts';
import { countSteps } from './background/steps.ts';
import { createTokenizer, type Tokenizer } from './tokenizer.ts';

const { encoding, cancelled } = workerData as WorkerSetup;
// Not `await`: a build as CommonJS must be possible. Messages wait until there is a listener.
const loaded = createTokenizer(encoding);
const begun = new Map<number, string[]>();

void loaded.then((tokenizer) => {
  parentPort?.on('message', ({ id, text, last }: CountPart) => {
    const parts = begun.get(id) ?? [];
    parts.push(text);
    if (!last) {
      begun.set(id, parts);
      return;
    }
    begun.delete(id);
    const value = countUnlessCancelled({ tokenizer, id, text: parts.join('') });
    parentPort?.postMessage({ id, value } satisfies CountReply);
  });
});

function countUnlessCancelled({
  tokenizer,
  id,
  text,
}: {
  readonly tokenizer: Tokenizer;
  readonly id: number;
  readonly text: string;
}): number | undefined {
  const steps = countSteps(tokenizer, text);
  for (;;) {
    if (Atomics.load(cancelled, placeOf(id)) === id) return undefined;
    const step = steps.next();
    if (step.done) return step.value;
  }
}
