import { isPath } from '../paths.ts';
import type { Word } from './lex.ts';

/** Whether a word is a literal file name and not a stream. */
export function isFile({ text, isPlain }: Word): boolean {
  return isPlain && isPath(text) && text !== '-' && !/^(?:\/dev\/|\$null$|nul$)/i.test(text);
}

export function plainFiles(words: readonly Word[]): string[] {
  return words.filter(isFile).map(({ text }) => text);
}

/** The files after the script of `sed` and `perl`; on macOS, `-i` takes a separate argument. */
export function scriptedFiles(args: readonly Word[]): string[] {
  const words: Word[] = [];
  let hasScript = false;
  let isScript = false;
  for (const word of args) {
    if (isScript) isScript = false;
    else if (/^-\w*e$|^--expression$/.test(word.text)) {
      hasScript = true;
      isScript = true;
    } else if (!word.text.startsWith('-') && word.text !== '') words.push(word);
  }
  return plainFiles(hasScript ? words : words.slice(1));
}

/** Whether `sed` or `perl` edits files in place. */
export function isInPlace(args: readonly Word[]): boolean {
  return args.some(({ text }) => /^(?:-[Ea-z]*i|--in-place)/.test(text));
}
