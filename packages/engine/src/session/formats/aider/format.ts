import type { TextFormat } from '../format.ts';
import { readAider } from './read.ts';

/** The chat history of aider (`.aider.chat.history.md`), to which it appends with every run. */
export const aider: TextFormat = {
  kind: 'text',
  name: 'aider',
  isText: (beginning) => /^\s*# aider chat started at /.test(beginning),
  read: readAider,
};
