/**
 * Command lines: which ones are understood, and what they do.
 *
 * @module
 */
export { lexLiteral } from './lex.ts';
export { type CommandLine, type LineCommand, understandLine } from './understand.ts';
