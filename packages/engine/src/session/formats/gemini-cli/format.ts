import type { DocumentFormat, LinesFormat } from '../format.ts';

export const geminiLines: LinesFormat = {
  kind: 'lines',
  name: 'gemini-cli',
  isRecord: () => false,
  read: () => {
    throw new Error('not yet');
  },
};

export const geminiDocument: DocumentFormat = {
  kind: 'document',
  name: 'gemini-cli',
  isDocument: () => false,
  read: () => {
    throw new Error('not yet');
  },
};
