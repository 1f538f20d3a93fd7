import { createRecallTool } from '../../engine/index.ts';
import type { Tool } from '../tool.ts';
import { told } from './define.ts';

/** The engine's tool for looking back, as one of the agent's. */
export function recallTool(of: Parameters<typeof createRecallTool>[0]): Tool {
  const recall = createRecallTool(of);
  return {
    definition: recall.definition,
    isBound: true,
    access: () => ({ kind: 'none' }),
    run: async ({ input }) => told(await recall.run({ arguments: JSON.stringify(input) })),
    beginTurn: () => recall.beginTurn(),
  };
}
