import { setTimeout } from 'node:timers/promises';
import type { Loopback, LoopbackSpoken } from 'longhaul/testing';
import { type DemoModule, type DemoTask, finding, pathOf, ported } from './work.ts';

/** A local provider: HTTP, streaming, a judge for every request, a cache; the model's answers are scripted. */
export interface DemoProvider {
  readonly url: string;
  /** Sets the next answers. */
  readonly play: (answers: readonly LoopbackSpoken[]) => void;
  /** Requests so far, including summaries, and those that the real provider would have rejected. */
  readonly judged: () => { readonly requests: number; readonly rejected: number };
  readonly close: () => Promise<void>;
}

/** Milliseconds that the model takes for a summary, and until the first token of an answer. */
const [summaryTakes, answerTakes] = [200, 250];

const summary = `<summary><title>Billing moves to gRPC</title>
## Progress
The modules of the billing service are ported to gRPC one after the other. Each is read, rewritten around the generated
encoder, and its tests are run before the next one is begun.
</summary>`;

/**
 * Starts the provider.
 *
 * @example
 * const provider = await startProvider({ window: 32_000 });
 */
export async function startProvider({ window }: { readonly window: number }): Promise<DemoProvider> {
  const { startLoopback } = await import('longhaul/testing');
  let waiting: LoopbackSpoken[] = [];
  const server: Loopback = await startLoopback({
    window,
    async script({ headers, signal }) {
      const isSummary = headers['x-interaction-type'] === 'conversation-compaction';
      await setTimeout(isSummary ? summaryTakes : answerTakes, undefined, { signal }).catch(() => undefined);
      if (isSummary) return { text: summary };
      return waiting.shift() ?? { text: 'There is nothing left to do.' };
    },
  });
  return {
    url: server.url,
    play: (answers) => {
      waiting = [...answers];
    },
    judged: () => {
      const asked = server.requests.filter(({ verdict }) => verdict !== undefined);
      return { requests: asked.length, rejected: asked.filter(({ verdict }) => verdict?.legal === false).length };
    },
    close: () => server.close(),
  };
}

/** The model's answers to a task. With `slow` the tests of that module take a while. */
export function answersTo({ task, slow }: { readonly task: DemoTask; readonly slow?: string }): LoopbackSpoken[] {
  const steps = task.modules.flatMap((module) => [
    ...stepsFor(module),
    testing({ name: module.name, text: '', before: module.name === slow ? 'sleep 2; ' : '' }),
    ...(module.name === slow ? [testing({ name: module.name, text: 'That was interrupted. I run it again.' })] : []),
  ]);
  const names = task.modules.map(({ name }) => name).join(', ');
  return [...steps, { text: `Ported, and their tests pass: ${names}.` }];
}

function stepsFor(module: DemoModule): LoopbackSpoken[] {
  const file_path = pathOf(module.name);
  return [
    { text: `I read ${module.name} first.`, toolCalls: [{ name: 'read', arguments: { file_path } }] },
    {
      text: `${finding(module)}; the generated encoder does that now.`,
      toolCalls: [{ name: 'write', arguments: { file_path, content: ported(module.name) } }],
    },
  ];
}

function testing(of: { readonly name: string; readonly text: string; readonly before?: string }): LoopbackSpoken {
  const command = `${of.before ?? ''}node test.mjs ${of.name}`;
  return { ...(of.text !== '' && { text: of.text }), toolCalls: [{ name: 'bash', arguments: { command } }] };
}
