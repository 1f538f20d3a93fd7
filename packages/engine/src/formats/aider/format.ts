import type { TextFormat } from '../format.ts';
import { readAider } from './read.ts';

/** The heading of a chat, or lines that aider prints; a history that was cut at its beginning may have no heading near. */
const marks = /^(?:# aider chat started at |> (?:Aider v\d|Tokens: [\d.,]+[kM]? sent, |Applied edit to \S))/m;

/** The chat history of aider (`.aider.chat.history.md`), to which it appends with every run. */
export const aider: TextFormat = {
  kind: 'text',
  name: 'aider',
  isText: (beginning) => marks.test(beginning),
  read: readAider,
};
