/** Titles of the parts that the engine itself renders into a summary. No model may write one of them. */
export const partTitles = {
  rules: 'Rules that hold, word for word:',
  said: 'What the user said:',
  focus: 'asked to keep this in view:',
  state: 'What the agent was working in:',
  older: 'Earlier narrative, written up to',
  lines: 'Lines',
} as const;

/** What stands over the chosen lines. */
export const linesExplanation =
  'Exactly as they were said, by handle, not all of what stands there; recall a handle for the whole. ← is the result of a call.';
