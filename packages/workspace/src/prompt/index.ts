/**
 * Elements of `longhaul/prompt` for code.
 *
 * @module
 */
export { OutlinedFile, type OutlinedFileProps } from './outlined-file.ts';
