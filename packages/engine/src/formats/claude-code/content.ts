import { isArray, isObject, type Json, type JsonObject, safeString } from '../../json.ts';
import { codecs, type Origin, type Part, type TextPart, type ToolResultPart } from '../../message/index.ts';
import type { Draft } from '../../session/index.ts';
import { detailsOf, type Rest, speakerOf, type Whose } from './line.ts';

/**
 * What the model saw of an attachment; `undefined` where it saw nothing, or the line does not tell what. Newer versions
 * write down what they sent. Of older ones the content is known, not the words around it.
 *
 * @example
 * const attachment = { type: 'nested_memory', path: '/repo/CLAUDE.md', content: { content: 'Use tabs.' } };
 * readAttachment({ raw: { type: 'attachment', attachment }, whose: 'person', restOf });
 */
export function readAttachment({
  raw,
  whose,
  restOf,
}: {
  readonly raw: JsonObject;
  readonly whose: Whose;
  readonly restOf: Rest;
}): Draft | undefined {
  const attachment = isObject(raw.attachment) ? raw.attachment : {};
  const kind = safeString(attachment.type);
  const sent = [raw.rendered, raw.renderedInHumanTurn].flatMap((list) =>
    each(list, ({ content }) => texts(content, 'engine')),
  );
  const isQueued = kind === 'queued_command';
  const parts = isQueued ? queuedPrompt({ attachment, sent, whose }) : sent.length > 0 ? sent : contentOf(attachment);
  if (parts.length === 0) return undefined;
  const details = detailsOf({ ...restOf(raw), ...facts(attachment) });
  if (isQueued) return { type: 'message', message: { role: 'user', parts }, ...details };
  return { type: 'custom_message', customType: `claude-code:${kind}`, parts, display: false, ...details };
}

function contentOf(attachment: JsonObject): TextPart[] {
  return contents.get(attachment.type)?.(attachment) ?? [];
}

/** Text that was typed while the model was at work: a person's words, in what the client wrote around them. */
function queuedPrompt({
  attachment,
  sent,
  whose,
}: {
  readonly attachment: JsonObject;
  readonly sent: readonly TextPart[];
  readonly whose: Whose;
}): readonly Part[] {
  const { prompt, commandMode } = attachment;
  const isPrompt = commandMode === undefined || commandMode === 'prompt';
  const speaker = isPrompt ? speakerOf({ raw: attachment, whose }) : 'engine';
  const { said } = readUserContent({ content: prompt, speaker });
  const [only, ...more] = sent;
  const [before, ...after] = typeof prompt === 'string' && prompt !== '' ? (only?.text.split(prompt) ?? []) : [];
  if (before === undefined || after.length !== 1 || more.length > 0) return said;
  const around = [before, ...after].map((text): TextPart[] =>
    text.trim() === '' ? [] : [{ type: 'text', origin: 'engine', text }],
  );
  return [...(around[0] ?? []), ...said, ...(around[1] ?? [])];
}

/** The short members of an attachment; its texts are in the message. */
function facts(attachment: JsonObject): JsonObject {
  const isShort = (value: Json | undefined) =>
    typeof value === 'string' ? value.length <= 200 : typeof value !== 'object';
  return Object.fromEntries(
    Object.entries(attachment).filter(([key, value]) => key !== 'prompt' && key !== 'content' && isShort(value)),
  );
}

/** Hooks of these events speak to the model by what they print; the others do not. */
const hookOutputs: ReadonlySet<unknown> = new Set(['SessionStart', 'UserPromptSubmit']);

/** By type of attachment. Words of files and editors have the authority of a tool's output. */
const contents: ReadonlyMap<unknown, (attachment: JsonObject) => TextPart[]> = new Map(
  Object.entries<(attachment: JsonObject) => TextPart[]>({
    nested_memory: ({ path, content }) => named(path, member(content, 'content'), 'engine'),
    instructions: ({ files }) => each(files, (file) => named(file.path, file.content, 'engine')),
    plan_file_reference: ({ planFilePath, planContent }) => named(planFilePath, planContent, 'engine'),
    invoked_skills: ({ skills }) => each(skills, (skill) => named(skill.path ?? skill.name, skill.content, 'engine')),
    skill_listing: ({ content }) => texts(content, 'engine'),
    agent_listing_delta: ({ addedLines }) => texts(addedLines, 'engine'),
    deferred_tools_delta: ({ addedLines }) => texts(addedLines, 'engine'),
    mcp_instructions_delta: ({ addedBlocks }) => texts(addedBlocks, 'engine'),
    critical_system_reminder: ({ content }) => texts(content, 'engine'),
    hook_additional_context: ({ content }) => texts(content, 'engine'),
    hook_success: ({ hookEvent, content }) => (hookOutputs.has(hookEvent) ? texts(content, 'engine') : []),
    file: fileContent,
    already_read_file: fileContent,
    edited_text_file: ({ filename, snippet }) => named(filename, snippet, 'tool'),
    selected_lines_in_ide: ({ filename, content }) => named(filename, content, 'tool'),
    directory: ({ path, content }) => named(path, content, 'tool'),
  }),
);

function fileContent({ filename, content }: JsonObject): TextPart[] {
  return named(filename, member(member(content, 'file'), 'content'), 'tool');
}

/** A content after the path it came from. */
function named(path: Json | undefined, content: Json | undefined, origin: Origin): TextPart[] {
  const parts = texts(content, origin);
  if (parts.length === 0 || typeof path !== 'string') return parts;
  return [{ type: 'text', origin: 'engine', text: `${path}:` }, ...parts];
}

/** A text, or the texts of a list as one. */
function texts(content: Json | undefined, origin: Origin): TextPart[] {
  const list = isArray(content) ? content : [content];
  const text = list.filter((line) => typeof line === 'string').join('\n');
  return text.trim() === '' ? [] : [{ type: 'text', origin, text }];
}

function each(list: Json | undefined, read: (item: JsonObject) => TextPart[]): TextPart[] {
  return (isArray(list) ? list : []).flatMap((item) => (isObject(item) ? read(item) : []));
}

function member(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? value[key] : undefined;
}

/** The content of a `user` line: tool results, then the text that accompanies them. */
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

interface TaggedText {
  readonly text: string;
  /** The enclosing tag; absent for text between blocks. */
  readonly tag?: string;
}

function partsOfPiece({ text, tag, speaker }: TaggedText & { readonly speaker: Origin }): TextPart[] {
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
 * Splits a text into tagged blocks and the text between them. The end of each tag is searched at most once after the
 * last match, so that a text of opening tags takes linear time.
 */
function blocksOf(text: string): TaggedText[] {
  const pieces: TaggedText[] = [];
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

/** Merges adjacent parts of one origin, and white space into the part before it: providers reject white space alone. */
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
