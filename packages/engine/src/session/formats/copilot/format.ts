import type { LinesFormat } from '../format.ts';

export const copilot: LinesFormat = {
  kind: 'lines',
  name: 'copilot',
  isRecord: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
