import type { Mask, SourceItem } from '../../analysis/index.ts';
import { isObject } from '../../json.ts';
import type { CompactionEntry } from '../../session/index.ts';

/** A title is one short line. */
const longest = 80;

/**
 * What a checkpoint is called: by its summarizer, by a title inside of the summary as Copilot writes it, or by what a
 * person last asked for before the cut.
 *
 * @example
 * titleOf({ entry, asked: () => 'Make the importer fast, please.', mask }); // 'Make the importer fast, please'
 */
export function titleOf({
  entry,
  asked,
  mask,
}: {
  readonly entry: CompactionEntry;
  /** What a person last asked for before the cut. */
  readonly asked: () => string | undefined;
  readonly mask: Mask;
}): string {
  const candidates = [
    () => storedTitle(entry),
    () => /<checkpoint_title>([^<]+)</.exec(entry.summary)?.[1],
    asked,
    () => entry.shortSummary,
  ];
  for (const candidate of candidates) {
    const line = lineOf(mask(candidate() ?? ''));
    if (line !== '') return line;
  }
  return 'Compaction';
}

/** What a person last asked for, up to a handle. */
export function lastAsked({ said, upTo }: { readonly said: readonly SourceItem[]; readonly upTo: number }) {
  const item = said.findLast(({ handle, message }) => handle <= upTo && message.parts.some(isAsk));
  return item?.message.parts.flatMap((part) => (part.type === 'text' && isAsk(part) ? [part.text] : [])).join(' ');
}

function isAsk(part: SourceItem['message']['parts'][number]): boolean {
  return part.type === 'text' && part.origin === 'human' && part.text.trim() !== '';
}

function storedTitle({ details }: CompactionEntry): string | undefined {
  if (!isObject(details)) return undefined;
  if (typeof details.title === 'string') return details.title;
  const { narrative } = details;
  return isObject(narrative) && typeof narrative.title === 'string' ? narrative.title : undefined;
}

/** The first sentence or line, without what a terminal or a document would obey. */
function lineOf(text: string): string {
  const [first = ''] = text
    .trim()
    .slice(0, 2_000)
    .split(/\n|(?<=[.!?。！？])\s/u);
  const plain = first
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[.。]$/u, '');
  const characters = [...plain];
  return characters.length <= longest
    ? plain
    : `${characters
        .slice(0, longest - 1)
        .join('')
        .trimEnd()}…`;
}

/** Names may have 255 bytes, on some systems 143; there is a number before and an ending behind. */
const mostBytes = 100;

/**
 * A title as part of a file's name on every system: letters and digits, in small, between hyphens.
 *
 * @example
 * fileTitle('Fix: CON/../x?'); // 'fix-con-x'
 */
export function fileTitle(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let name = '';
  for (const character of words.join('-')) {
    if (Buffer.byteLength(name + character) > mostBytes) break;
    name += character;
  }
  return name.replace(/(?<!-)-+$/, '') || 'checkpoint';
}
