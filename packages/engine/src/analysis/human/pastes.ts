import { isPasted } from '../pins/pastes.ts';

/** Lines of a text that were pasted as a block: code, logs, screens. */
export interface Paste {
  /** From 1, both included. */
  readonly from: number;
  readonly to: number;
}

/** A block that is shorter stays: it says about as much as the note in its place. */
const shortest = { lines: 12, chars: 1000 };

/** The blocks of a text that are long enough to be shown in part. */
export function longPastes(lines: readonly string[]): Paste[] {
  const pastes: Paste[] = [];
  for (const { from, to, isFenced } of blocksOf(lines)) {
    const block = lines.slice(from - 1, to);
    const isLong = block.length > shortest.lines || block.join('\n').length > shortest.chars;
    if (isLong && (isFenced || isPasted(block))) pastes.push({ from, to });
  }
  return joined(pastes);
}

/** Paragraphs and code blocks, in order. */
function blocksOf(lines: readonly string[]): { from: number; to: number; isFenced: boolean }[] {
  const blocks: { from: number; to: number; isFenced: boolean }[] = [];
  let current: { from: number; isFenced: boolean } | undefined;
  const close = (to: number) => {
    if (current) blocks.push({ ...current, to });
    current = undefined;
  };
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    const isFence = /^\s{0,3}(?:`{3,}|~{3,})/.test(line);
    if (current?.isFenced) {
      if (isFence) close(number);
    } else if (isFence) {
      close(index);
      current = { from: number, isFenced: true };
    } else if (line.trim() === '') close(index);
    else current ??= { from: number, isFenced: false };
  }
  close(lines.length);
  return blocks;
}

/** Paragraphs of one log stand next to each other, with empty lines between them. */
function joined(pastes: readonly Paste[]): Paste[] {
  const all: Paste[] = [];
  for (const paste of pastes) {
    const last = all.at(-1);
    if (last && paste.from - last.to <= 2) all[all.length - 1] = { from: last.from, to: paste.to };
    else all.push(paste);
  }
  return all;
}
