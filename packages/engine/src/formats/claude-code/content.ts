import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { codecs, type Origin, type Part, type TextPart, type ToolResultPart } from '../../message/index.ts';

/** The content of a `user` line: what tools returned, and what was said beside it. */
export interface UserContent {
  readonly results: readonly ToolResultPart[];
  readonly said: readonly Part[];
}

/**
 * Reads the content of a `user` line. `speaker` wrote what no client has marked as its own.
 *
 * @example
 * readUserContent({ content: 'Fix the build.', speaker: 'human' });
 */
export function readUserContent({
  content,
  speaker,
}: {
  readonly content: Json | undefined;
  readonly speaker: Origin;
}): UserContent {
  const parts = decode({ role: 'user', content });
  return {
    results: parts.filter((part) => part.type === 'tool_result'),
    said: parts.flatMap((part): readonly Part[] => {
      if (part.type === 'tool_result') return [];
      if (part.type === 'text') return partsOfText({ text: part.text, speaker });
      return [part.origin === 'human' ? { ...part, origin: speaker } : part];
    }),
  };
}

/**
 * Reads the content of an `assistant` line.
 *
 * @example
 * readAnswerContent([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.ts' } }]);
 */
export function readAnswerContent(content: Json | undefined): Part[] {
  return [...decode({ role: 'assistant', content })];
}

/** A block that is no block is kept as it is: the codec makes it opaque. */
function decode({ role, content }: { readonly role: string; readonly content: Json | undefined }): readonly Part[] {
  const list = isArray(content) || typeof content === 'string' ? content : content === undefined ? [] : [content];
  return codecs.anthropic.decode([{ role, content: list }])[0]?.parts ?? [];
}

/** All text of a content, such as that of a summary. */
export function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (isArray(content) ? content : []).map((block) => (isObject(block) ? block.text : undefined));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** The message of a line, whatever it is. */
export function messageOf(raw: JsonObject): JsonObject {
  return isObject(raw.message) ? raw.message : {};
}

/** Blocks that Claude Code puts into a text, before, behind or between what a person typed. */
const clientTags = [
  'system-reminder',
  'command-name',
  'command-message',
  'command-contents',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'ide_opened_file',
  'ide_selection',
  'user-prompt-submit-hook',
];

/** Blocks whose inside a person typed: what follows a slash command, and a command behind `!`. */
const typedTags = ['command-args', 'bash-input'];

/**
 * A text in parts, each of the one who wrote it; together they are the text again. `speaker` is who wrote what no client
 * has marked as its own.
 *
 * @example
 * partsOfText({ text: 'Go on.\n<system-reminder>Be brief.</system-reminder>', speaker: 'human' });
 * // 'Go on.\n' of a human, the rest of the engine
 */
function partsOfText({ text, speaker }: { readonly text: string; readonly speaker: Origin }): TextPart[] {
  return joined(blocksOf(text).flatMap((piece) => partsOfPiece({ ...piece, speaker })));
}

interface Piece {
  readonly text: string;
  /** The tag around it; none for what stands between blocks. */
  readonly tag?: string;
}

function partsOfPiece({ text, tag, speaker }: Piece & { readonly speaker: Origin }): TextPart[] {
  if (tag === undefined || !typedTags.includes(tag)) {
    const writer = writerOf(text);
    const unmarked = tag === undefined ? speaker : 'engine';
    return [{ type: 'text', origin: writer === 'human' ? unmarked : writer, text }];
  }
  const from = text.indexOf('>') + 1;
  const to = text.lastIndexOf('<');
  const engine = (part: string): TextPart => ({ type: 'text', origin: 'engine', text: part });
  return [
    engine(text.slice(0, from)),
    { type: 'text', origin: 'human', text: text.slice(from, to) },
    engine(text.slice(to)),
  ];
}

/**
 * The blocks of a text, and what stands between them. Looks for the end of each tag at most once behind the last of
 * them: a text of nothing but openings must not take for ever.
 */
function blocksOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const open = new Set([...clientTags, ...typedTags]);
  let from = 0;
  for (let at = text.indexOf('<'); at >= 0 && open.size > 0; at = text.indexOf('<', at)) {
    const tag = tagAt({ text, at, open });
    const close = `</${tag}>`;
    const end = tag === undefined ? -1 : text.indexOf(close, at);
    if (tag === undefined || end < 0) {
      if (tag !== undefined) open.delete(tag);
      at += 1;
      continue;
    }
    if (at > from) pieces.push({ text: text.slice(from, at) });
    from = end + close.length;
    pieces.push({ text: text.slice(at, from), tag });
    at = from;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function tagAt({ text, at, open }: { readonly text: string; readonly at: number; readonly open: ReadonlySet<string> }) {
  const name = /^<([a-z_-]{1,40})>/.exec(text.slice(at, at + 42))?.[1];
  return name !== undefined && open.has(name) ? name : undefined;
}

/** Neighbors of one origin are one part, and so is white space with what stands before it: no provider takes it alone. */
function joined(parts: readonly TextPart[]): TextPart[] {
  const list: TextPart[] = [];
  for (const part of parts) {
    const last = list.at(-1);
    if (last && (last.origin === part.origin || part.text.trim() === '')) {
      list[list.length - 1] = { ...last, text: last.text + part.text };
    } else if (last?.text.trim() === '') {
      list[list.length - 1] = { ...part, text: last.text + part.text };
    } else {
      list.push(part);
    }
  }
  return list;
}

/** Who wrote a text, as the codecs tell it from its tags and openings; a person where they see no client's mark. */
function writerOf(text: string): Origin {
  const [message] = codecs.anthropic.decode([{ role: 'user', content: text }]);
  return message?.parts[0]?.origin ?? 'human';
}
