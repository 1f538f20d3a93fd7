import type { ChosenLine } from '../chosen.ts';

/** Who wrote a line, as documents name them. */
export function sourceOf({ origin }: Pick<ChosenLine, 'origin'>): 'user' | 'client' | 'tool' | 'agent' {
  switch (origin) {
    case 'human':
      return 'user';
    case 'engine':
      return 'client';
    case 'result':
    case 'error':
      return 'tool';
    default:
      return 'agent';
  }
}
