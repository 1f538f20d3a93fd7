/** A paragraph, a list item with its continuation lines, or a table. */
export interface TextBlock {
  readonly kind: 'text' | 'item' | 'table' | 'blank';
  readonly depth: number;
  /** The indentation and the bullet or number of a list item. */
  readonly mark: string;
  /** Without its mark, its lines joined. */
  readonly text: string;
  /** As it was written. */
  readonly raw: string;
}

const marked = /^((?:\s*>)*\s*(?:(?:[-*•+‣▪◦]|\d{1,3}[.)])\s+)?)(.*)$/s;

/**
 * Splits a text into blocks. A sentence may span the lines of one block; lists and tables are recognized by their markers.
 *
 * @example
 * blocksOf('- one\n  more\n- two').map(({ text }) => text); // ['one more', 'two']
 */
export function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  for (const raw of text.split('\n')) {
    const [, mark = '', rest = ''] = marked.exec(raw) ?? [];
    const depth = /^[\s>]*/.exec(raw)?.[0].length ?? 0;
    const isItem = /[^\s>]/.test(mark);
    const last = blocks.at(-1);
    if (rest.trim() === '') blocks.push({ kind: 'blank', depth, mark, text: '', raw });
    else if (/^\s*\|/.test(rest)) {
      if (last?.kind === 'table') blocks[blocks.length - 1] = continued(last, rest, raw, '\n');
      else blocks.push({ kind: 'table', depth, mark, text: rest.trim(), raw });
    } else if (!isItem && last && (last.kind === 'text' || last.kind === 'item') && !isEnded(last)) {
      blocks[blocks.length - 1] = continued(last, rest, raw, ' ');
    } else blocks.push({ kind: isItem ? 'item' : 'text', depth, mark, text: rest.trim(), raw });
  }
  return blocks;
}

/** A line that introduces something or ends a sentence is not continued by the next one. */
function isEnded({ text }: TextBlock): boolean {
  return text.length > 4_000 || /[:：.!?。！？]["”»)\]*_]*$/.test(text.slice(-8));
}

function continued(block: TextBlock, rest: string, raw: string, by: string): TextBlock {
  return { ...block, text: `${block.text}${by}${rest.trim()}`, raw: `${block.raw}\n${raw}` };
}
