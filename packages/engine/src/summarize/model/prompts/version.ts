/**
 * Which wording a summary was asked for with. It goes into the record of the summary; any change to a file beside this
 * one is a new version.
 */
export const promptVersion = 'longhaul-summary-2';
