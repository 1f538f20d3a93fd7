import { createRecallTool } from 'longhaul/engine';
import type { Session } from 'longhaul/session';
import type { Probe } from './probe.ts';

/** What a search gives at most. */
const searchTokens = 3000;

/** Two searches with the words of each question, as a model would ask; the second goes on where the first ended. */
export async function searchesFor({
  session,
  probes,
  count,
}: {
  readonly session: Session;
  readonly probes: readonly Probe[];
  readonly count: (text: string) => number;
}): Promise<Map<Probe, readonly string[]>> {
  const searched = new Map<Probe, readonly string[]>();
  for (const probe of probes) {
    const tool = createRecallTool({ session, count, perCall: searchTokens });
    const ask = { arguments: JSON.stringify({ query: probe.question }) };
    searched.set(probe, [await tool.run(ask), await tool.run(ask)]);
  }
  return searched;
}
