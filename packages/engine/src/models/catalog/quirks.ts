/**
 * What has to be done differently for some models, by name. Data says which family has which; the code that acts on a
 * quirk asks for its name and never for a model's.
 *
 * @example
 * if (info.quirks.includes('noToolsLine')) prompt += noToolsLine;
 */
export const quirks = {
  noToolsLine: 'Say in the summary prompt that no tool may be called: the model otherwise answers it with a call.',
  reattachLastThinking: 'The last thinking block must come first after a summary, or the provider rejects the turn.',
  stripToolSearchPairs: 'Calls and results of the provider’s tool search are left out of a summary request.',
  stripOrphanedCalls: 'Calls without a result are left out of a summary request, which the provider would reject.',
  keepGoingReminder: 'A reminder to go on is put after the summary: the model otherwise stops and asks.',
  imagesToPlaceholders: 'Images are replaced by a short text in a summary request.',
  stripBreakpoints: 'Cache breakpoints are taken out of a summary request that does not reuse the prefix.',
  noTemperature: 'A temperature is rejected or ignored: leave it out.',
  noTemperatureWithThinking: 'A temperature is rejected while thinking is on: leave it out.',
  noForcedToolsWithThinking: 'While thinking is on only the tool choices auto and none are accepted.',
  noForcedTools: 'Only the tool choices auto and none are accepted.',
  noChatToolsWithReasoning: 'In Chat Completions tools are refused unless the effort is none.',
  noProviderCompaction: 'The provider does not compact by itself for this model, and refuses to be asked.',
  alwaysThinks: 'Thinking cannot be turned off, and asking for it is rejected: ask for the least there is.',
  bindsThinking: 'Thoughts are refused after a changed beginning unless the request says that they may be dropped.',
  reasoningContentRequired: 'Earlier answers must be sent back with their reasoning text.',
  legacyMaxTokens: 'The output limit is called max_tokens, not max_completion_tokens.',
  noDeveloperRole: 'Instructions go into a system message: the developer role is rejected.',
  silentOverflow: 'Too large a prompt is accepted or cut without an error: compare the usage with the window.',
  silentTruncation: 'Too large a prompt is cut without any sign: never rely on the server to object.',
  bodylessOverflow: 'An overflow is answered with 400 or 413 and no body.',
} as const;

export type QuirkName = keyof typeof quirks;
