import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Message, Origin, Part, TextPart } from '../../message/index.ts';

/** What is known of who wrote a message in the user's role. */
export interface Witness {
  /** Who speaks in the user's role of this session, where the client does not. */
  readonly author: Origin;
  /** The item as it was logged; newer versions name the kind of each of its parts. */
  readonly item: JsonObject;
  /** What the event after the item says was typed; `undefined` where another line, or nothing, follows. */
  readonly echo: string | undefined;
  /** Whether the file has such events at all. */
  readonly hasEvents: boolean;
}

/**
 * The message with the right origin on each part. Codex puts its own texts into the user's role; what a person typed is
 * repeated in an event right after it, and that is the best witness.
 *
 * @example
 * attributed({ message, witness: { author: 'human', item, echo: 'Fix the build.', hasEvents: true } });
 */
export function attributed({ message, witness }: { readonly message: Message; readonly witness: Witness }): Message {
  const kinds = kindsOf(witness.item);
  const parts = message.parts.flatMap((part, index): readonly Part[] => {
    const kind = kinds?.length === message.parts.length ? kinds[index] : undefined;
    if (part.type !== 'text') return [{ ...part, origin: witness.author }];
    return divided({ part: { ...part, origin: originOf({ part, kind, witness }) }, author: witness.author });
  });
  return { ...message, parts };
}

/** Whether a line that is yet to come could still show that a person typed what looks like the client's. */
export function isOpen({ message, witness }: { readonly message: Message; readonly witness: Witness }): boolean {
  const isClients = (part: Part) => part.type === 'text' && part.origin !== witness.author;
  return witness.hasEvents && !kindsOf(witness.item) && message.parts.some(isClients);
}

function originOf(of: { readonly part: TextPart; readonly kind: Json | undefined; readonly witness: Witness }): Origin {
  const { part, kind, witness } = of;
  const { author, echo, hasEvents } = witness;
  if (typeof kind === 'string') return isUsers(kind) ? author : 'engine';
  if (imageTag.test(part.text)) return 'engine';
  if (echo !== undefined && part.text !== '' && echo.includes(part.text)) return author;
  if (part.origin !== 'human') return part.origin;
  // Codex wraps what it says in one element, and gives it new names in every other version.
  return hasEvents && echo === undefined && element.test(part.text) && !isShell(part.text) ? 'engine' : author;
}

/** `user.text`, `user.image`; what is not named is not known to be the client's. */
function isUsers(kind: string): boolean {
  return kind.startsWith('user.') || kind === '' || kind === 'unknown' || /^(images|audio)\./.test(kind);
}

function kindsOf({ internal_chat_message_metadata_passthrough: passthrough }: JsonObject): readonly Json[] | undefined {
  const kinds = isObject(passthrough) ? passthrough.content_item_kinds : undefined;
  return isArray(kinds) && kinds.length > 0 ? kinds : undefined;
}

const element = /^\s*<([A-Za-z][\w-]*)(?:\s[^>]*)?>[\s\S]*<\/\1>\s*$/;
const imageTag = /^<\/?image(?: name=[^>]*)?>$/;

/** What the editor's extension puts in front of the request. */
const request = /^# Context from my IDE setup:[\s\S]*?\n## My request for Codex:\n/;

/** A text in which more than one speaks, as a part for each. */
function divided({ part, author }: { readonly part: TextPart; readonly author: Origin }): readonly TextPart[] {
  const { text, origin } = part;
  const ran = isShell(text) ? shellMarks(text) : undefined;
  if (ran) return cut({ text, at: ran, origins: ['engine', author, 'engine', 'tool', 'engine'] });
  const [context] = (origin === author && request.exec(text)) || [];
  return context ? cut({ text, at: [context.length], origins: ['engine', author] }) : [part];
}

/** A command that the person ran, with its output. */
function isShell(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('<user_shell_command>') && trimmed.endsWith('</user_shell_command>');
}

/** Where the command begins and ends, and where the output does. */
function shellMarks(text: string): readonly number[] | undefined {
  const open = /<command>\n?/.exec(text);
  const between = /\n?<\/command>\s*<result>\n?/.exec(text);
  const close = text.lastIndexOf('</result>');
  if (!open || !between || close < 0) return undefined;
  const end = text[close - 1] === '\n' ? close - 1 : close;
  const marks = [open.index + open[0].length, between.index, between.index + between[0].length, end];
  return marks.every((mark, index) => mark >= (marks[index - 1] ?? 0)) ? marks : undefined;
}

function cut(of: {
  readonly text: string;
  readonly at: readonly number[];
  readonly origins: readonly Origin[];
}): TextPart[] {
  return of.origins.flatMap((origin, index) => {
    const text = of.text.slice(of.at[index - 1] ?? 0, of.at[index] ?? of.text.length);
    return text === '' ? [] : [{ type: 'text', origin, text }];
  });
}
