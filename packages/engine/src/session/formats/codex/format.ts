import type { LinesFormat } from '../format.ts';

export const codex: LinesFormat = {
  kind: 'lines',
  name: 'codex',
  isRecord: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
