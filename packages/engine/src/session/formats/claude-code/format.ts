import type { LinesFormat } from '../format.ts';

export const claudeCode: LinesFormat = {
  kind: 'lines',
  name: 'claude-code',
  isRecord: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
