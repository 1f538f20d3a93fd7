import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import type { Origin, Part, TextPart } from '../../message/index.ts';
import type { Draft } from '../../session/index.ts';
import { readUserContent } from './content.ts';
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
  const kind = String(attachment.type);
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
const heardHooks: ReadonlySet<unknown> = new Set(['SessionStart', 'UserPromptSubmit']);

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
    hook_success: ({ hookEvent, content }) => (heardHooks.has(hookEvent) ? texts(content, 'engine') : []),
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
