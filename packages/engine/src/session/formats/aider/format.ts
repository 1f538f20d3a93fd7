import type { TextFormat } from '../format.ts';

export const aider: TextFormat = {
  kind: 'text',
  name: 'aider',
  isText: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
