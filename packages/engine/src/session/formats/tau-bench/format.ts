import type { DocumentFormat } from '../format.ts';

export const tauBench: DocumentFormat = {
  kind: 'document',
  name: 'tau-bench',
  isDocument: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
