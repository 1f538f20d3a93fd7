import type { DocumentFormat, LinesFormat } from '../format.ts';

export const openhands: LinesFormat = {
  kind: 'lines',
  name: 'openhands',
  isRecord: () => false,
  read: () => {
    throw new Error('not yet');
  },
};

export const openhandsDocument: DocumentFormat = {
  kind: 'document',
  name: 'openhands',
  isDocument: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
