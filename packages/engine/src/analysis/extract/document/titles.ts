/** Titles of the parts rendered by the engine. A model must not write them. */
export const partTitles = {
  rules: 'Rules that hold, word for word:',
  said: 'What the user said:',
  focus: 'asked to keep this in view:',
  state: 'What the agent was working in:',
  older: 'Earlier narrative, written up to',
  lines: 'Lines',
} as const;

/** The explanation above the selected lines. */
export const linesExplanation =
  'Exact excerpts, by handle, not the whole text of an entry; recall a handle to read all of it. ← is the result of a call.';
