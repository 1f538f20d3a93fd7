/**
 * Ignore files (`.gitignore`) and name patterns, matched in linear time: both may come from a repository that is not trusted.
 *
 * @module
 */

export { type Ignore, type IgnoreFile, noIgnore } from './ignore.ts';
export { nameTest } from './wildcard.ts';
