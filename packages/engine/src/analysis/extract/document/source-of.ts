import type { ChosenLine } from '../chosen.ts';

/** The author of a line, as named in documents. */
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
