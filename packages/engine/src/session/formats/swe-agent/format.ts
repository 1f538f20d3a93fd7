import type { DocumentFormat } from '../format.ts';

export const sweAgent: DocumentFormat = {
  kind: 'document',
  name: 'swe-agent',
  isDocument: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
