import { finishesTask, isSpoken } from '../../analysis/index.ts';
import type { Message } from '../../message/index.ts';
import type { Situation } from './situation.ts';

/**
 * What lies between the last request and this one: somebody spoke (`turn`), the model ticked off a task (`task`), or
 * neither. A summary goes in best where the work pauses by itself (cc#10948).
 *
 * @example
 * boundaryOf({ added: [say('now the tests')] }); // 'turn'
 */
export function boundaryOf({ added }: { readonly added: readonly Message[] }): Situation['boundary'] {
  if (added.some(isSpoken)) return 'turn';
  return added.some(finishesTask) ? 'task' : 'round';
}
