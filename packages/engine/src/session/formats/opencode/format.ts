import type { DatabaseFormat, DocumentFormat } from '../format.ts';

export const opencodeExport: DocumentFormat = {
  kind: 'document',
  name: 'opencode',
  isDocument: () => false,
  read: () => {
    throw new Error('not yet');
  },
};

export const opencodeDatabase: DatabaseFormat = {
  kind: 'database',
  name: 'opencode',
  read: () => {
    throw new Error('not yet');
  },
};
