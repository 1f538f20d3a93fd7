/**
 * The version of the prompts, stored with each summary. Any change to the wording of a prompt in this folder is a new
 * version.
 */
export const promptVersion = 'longhaul-summary-2';
