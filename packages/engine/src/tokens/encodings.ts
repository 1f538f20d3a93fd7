/** The encodings whose vocabulary is public. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** All encodings, in the order in which they are listed to people. */
export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base'];
