/**
 * Command lines: parsing and effects.
 *
 * @module
 */
export { lexLiteral } from './lex.ts';
export { type CommandLine, type LineCommand, understandLine } from './understand.ts';
