import type { Message, Part, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import type { EntryId } from '../../session/index.ts';
import { argumentNames, argumentsOf, listArgument, textArgument } from '../calls/arguments.ts';
import { readCall } from '../calls/call.ts';
import { pathKey } from '../calls/paths.ts';
import { isCut, resultText } from '../calls/result-text.ts';
import { plainName, toolKind } from '../calls/tools.ts';
import type { SourceItem } from '../source-item.ts';
import { type InstructionKind, instructionKind, isOwnFile } from './instruction-path.ts';

/** A text that an agent must follow as a whole: an instruction file, a skill, a system message of its client. */
export interface InstructionDocument {
  readonly kind: InstructionKind;
  /** Its common name: `AGENTS.md`, a skill's name. */
  readonly name: string;
  /** The same for every read of one file. */
  readonly key: string;
  readonly text: string;
  /** The number of its first line in its part, from 1. */
  readonly line: number;
  readonly place: { readonly entry: number; readonly part: number };
  readonly entry: EntryId;
  /** The whole file, not only some lines. */
  readonly isWhole: boolean;
  /** A client's reminder, in which only explicit rules count. */
  readonly isReminder?: true;
  /** Not an instruction file by its path: a person or an instruction file said to read it. Only what it demands counts. */
  readonly isNamed?: true;
}

/**
 * The instruction documents in force at the end of a list, oldest first: those that clients put in, those that a tool
 * read, by their path, and loaded skills; documents of the project that a person or an instruction file said to read; and
 * what programs print that exist to instruct agents. A later reading of a whole file takes the place of the earlier ones.
 * What any other file, page or program says is none, whatever it looks like.
 *
 * @example
 * documentsIn({ items, root: '/srv/app' }).map(({ name }) => name); // ['AGENTS.md', 'code-review']
 */
export function documentsIn({
  items,
  root,
}: {
  /** System messages among them come after the first message. */
  readonly items: readonly SourceItem[];
  readonly root?: string | undefined;
}): InstructionDocument[] {
  const calls = new Map<string, ToolCallPart>();
  const found: InstructionDocument[] = [];
  const named = new Set<string>();
  const hear = (text: string) => {
    for (const path of documentsNamedIn(text)) named.add(nameKey(path));
  };
  for (const { message, handle, id } of items) {
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'tool_call') calls.set(part.id, part);
      if (part.type === 'text' && part.origin === 'human') hear(part.text);
      const about = { place: { entry: handle, part: index + 1 }, entry: id };
      for (const text of textsIn({ message, part, index, calls, named, root })) {
        found.push({ ...text, ...about });
        // A named document names no further ones: otherwise one sentence would make rules of a whole library.
        if (!text.isNamed && !text.isReminder) hear(text.text);
      }
    }
  }
  return inForce(found);
}

type FoundDocument = Omit<InstructionDocument, 'place' | 'entry'>;

function textsIn(of: {
  readonly message: Message;
  readonly part: Part;
  readonly index: number;
  readonly calls: ReadonlyMap<string, ToolCallPart>;
  readonly named: ReadonlySet<string>;
  readonly root: string | undefined;
}): FoundDocument[] {
  const { message, part, index, calls, named, root } = of;
  if (part.type === 'tool_result') return read({ result: part, call: calls.get(part.callId), named, root });
  if (part.type !== 'text' || part.origin !== 'engine') return [];
  if (message.role === 'system') return developerText(part.text);
  const framed = instructionsIn(part.text).map(({ text, line, kind, name = 'instructions' }): FoundDocument => {
    return { kind, name: lastName({ name, kind }), key: keyOf({ kind, name, root }), text, line, isWhole: true };
  });
  if (framed.length > 0) return framed;
  return attached({ before: message.parts[index - 1], text: part.text, root }) ?? reminder(part.text);
}

/**
 * A result is an instruction file only by the path that was read or by who named it: any file can be written to look like
 * one.
 */
function read({
  result,
  call,
  named,
  root,
}: {
  readonly result: ToolResultPart;
  readonly call: ToolCallPart | undefined;
  readonly named: ReadonlySet<string>;
  readonly root: string | undefined;
}): FoundDocument[] {
  if (!call || result.isError || !mayConcern.test(`${call.name} ${call.arguments.slice(0, 4000)}`)) return [];
  const output = resultText(result);
  if (toolKind(call.name) === 'skill') {
    const name = textArgument({ from: argumentsOf(call), names: ['skill', 'name', 'command'] }) ?? 'skill';
    return output.length < minSkill
      ? []
      : [
          {
            kind: 'skill',
            name,
            key: keyOf({ kind: 'skill', name, root }),
            text: plainResult(output),
            line: 1,
            isWhole: true,
          },
        ];
  }
  const printed = commandOf({ call, root });
  if (printed !== undefined && printsInstructions(printed)) {
    const name = printed.split('&&').at(-1)?.trim() ?? printed;
    return [
      {
        kind: 'instructions',
        name,
        key: `command:${name}`,
        text: plainResult(output),
        line: 1,
        isWhole: true,
        isNamed: true,
      },
    ];
  }
  const files = filesOf({ call, root });
  const kinds = files.map(({ path }) => instructionKind({ path, root }) ?? namedKind({ path, named, root }));
  const [first] = files;
  const [kind] = kinds;
  // If a command shows other text as well, the file's part is unknown.
  if (!first || !kind || kinds.includes(undefined)) return [];
  const isByName = files.some(({ path }) => !instructionKind({ path, root }));
  const name = first.path;
  const isWhole = files.length === 1 && first.isWhole && !isCut(output);
  return [
    {
      kind,
      name: lastName({ name, kind }),
      key: keyOf({ kind, name, root }),
      text: plainResult(output),
      line: 1,
      isWhole,
      ...(isByName && { isNamed: true }),
    },
  ];
}

function namedKind(of: {
  readonly path: string;
  readonly named: ReadonlySet<string>;
  readonly root: string | undefined;
}): InstructionKind | undefined {
  return isNamed(of) && isOwnFile(of) ? 'instructions' : undefined;
}

function commandOf({ call, root }: { readonly call: ToolCallPart; readonly root: string | undefined }) {
  return toolKind(call.name) === 'shell' ? readCall({ part: call, directory: root }).shell?.command : undefined;
}

/** A prefilter on the name and arguments of calls that load instructions; parsing every call would be slow. */
const mayConcern =
  /\.(?:mdx?|mdc|txt|rst|adoc)\b|skill|rules|instruction|contributing|goosehints|prime|onboard|guide|convention|agent|llm/i;

/** A shorter result of a skill tool only confirms that the skill was loaded. */
const minSkill = 200;

function filesOf({ call: part, root }: { readonly call: ToolCallPart; readonly root: string | undefined }) {
  if (/^(?:grep|search|ripgrep|rg|searchfilecontent|grepsearch)$/.test(plainName(part.name))) {
    const args = argumentsOf(part);
    const one = textArgument({ from: args, names: [...argumentNames.path, 'paths'] });
    const many = listArgument({ from: args, names: argumentNames.paths }) ?? [];
    const paths = one === undefined ? many.filter((path) => typeof path === 'string') : [one];
    return paths.map((path) => ({ path, isWhole: false }));
  }
  const call = readCall({ part, directory: root });
  if (call.shell && !showsOneFile.test(call.shell.command)) return [];
  return call.reads.map(({ path, lines }) => ({ path, isWhole: lines === undefined }));
}

/** A command line that only shows files, optionally after a directory change. */
const showsOneFile =
  /^\s*(?:cd\s+[^\s;&|<>`$]+\s*&&\s*)?(?:cat|nl|head|tail|sed|less|more|bat|type|gc|Get-Content)\s[^;&|<>`$\n]*(?:\|\s*(?:head|tail|sed -n|nl|cat -n|Select-Object)\b[^;&|<>`$\n]*)?$/i;

/** A result without the agent's header and reminders; line numbers are kept. */
function plainResult(text: string): string {
  const blank = (found: string) => found.replace(/[^\n]+/g, '');
  return text
    .replace(/<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, blank)
    .replace(/^(?:Exit code|Chunk ID|Wall time)[\s\S]{0,400}?\n(?:Total output lines: \d+\n\n)?Output:\n/, blank);
}

/** Claude Code attaches a file as two parts: its path, then its content. */
function attached(of: {
  readonly before: Part | undefined;
  readonly text: string;
  readonly root: string | undefined;
}): FoundDocument[] | undefined {
  const { before, text, root } = of;
  if (before?.type !== 'text' || before.origin !== 'engine') return undefined;
  const name = /^(\S[^\n]{0,400}):$/.exec(before.text)?.[1];
  if (name === undefined || /(?:^|[\\/])plans[\\/]/.test(name)) return undefined;
  const kind = instructionKind({ path: name, root }) ?? (/[\\/.]/.test(name) ? 'instructions' : 'skill');
  return [{ kind, name: lastName({ name, kind }), key: keyOf({ kind, name, root }), text, line: 1, isWhole: true }];
}

/** A system message of a client between two turns; the newest with a name applies. */
function developerText(text: string): FoundDocument[] {
  const name = /^\s*<([a-z][\w -]{0,60})>/i.exec(text)?.[1]?.trim() ?? 'system message';
  return [{ kind: 'instructions', name, key: `system:${name}`, text: untagged(text), line: 1, isWhole: true }];
}

/** Tags of reminders by clients. */
const reminders = /^\s*<(system[-_]reminder|local-command-caveat|user-prompt-submit-hook|session-start-hook)>/;
/** Reminders that quote a file or a tool, which are not instructions of the client. */
const shows =
  /result of calling|was modified|relevant changes|contents? of|output of|stdout|opened the file|selected the lines/i;
const maxReminder = 4000;

function reminder(text: string): FoundDocument[] {
  const [, tag] = reminders.exec(text) ?? [];
  if (tag === undefined || text.length > maxReminder || shows.test(text)) return [];
  const said = untagged(text);
  return [
    {
      kind: 'instructions',
      name: 'a reminder',
      key: `reminder:${said}`,
      text: said,
      line: 1,
      isWhole: true,
      isReminder: true,
    },
  ];
}

function untagged(text: string): string {
  return text.replace(/<\/?[a-z][\w -]{0,60}>/gi, '');
}

function inForce(found: readonly InstructionDocument[]): InstructionDocument[] {
  const newest = new Map<string, number>();
  found.forEach(({ key, isWhole }, index) => {
    if (isWhole) newest.set(key, index);
  });
  return found.filter(({ key }, index) => index >= (newest.get(key) ?? 0));
}

function lastName({ name, kind }: { readonly name: string; readonly kind: InstructionKind }): string {
  const segments = name.split(/[\\/]/).filter((segment) => segment !== '');
  const last = segments.at(-1) ?? name;
  return kind === 'skill' && /^skill\.md$/i.test(last) ? (segments.at(-2) ?? last) : last;
}

/** A skill is identified by name, whether loaded or read as a file; other files by path. */
function keyOf(of: {
  readonly kind: InstructionKind;
  readonly name: string;
  readonly root: string | undefined;
}): string {
  const { kind, name, root } = of;
  const isSkillFile = kind !== 'skill' || /\.md$/i.test(name);
  return `${kind}:${isSkillFile && !/skill\.md$/i.test(name) ? pathKey({ path: name, root }) : lastName({ name, kind })}`;
}

/** A part of a text that a client took from an instruction file or a skill. */
interface Instructions {
  readonly text: string;
  /** The number of its first line in the whole text, from 1. */
  readonly line: number;
  readonly kind: InstructionKind;
  /** The file or skill it was taken from, if the client names it. */
  readonly name?: string;
}

interface Frame {
  /** Its first group, if any, is the name of the file or skill. */
  readonly opening: RegExp;
  readonly closing: RegExp;
  readonly kind?: InstructionKind;
  /** May contain any file: an instruction file only by its path. */
  readonly isByPath?: true;
}

const endOfContents =
  /^Contents of \S[^\n]{0,400}?(?: \([^\n)]{0,200}\))?:$|^<\/system-reminder>|^[^\S\n\r\u2028\u2029]*IMPORTANT: this context may or may not be relevant/m;

/** How clients delimit an instruction file or a skill. */
const frames: readonly Frame[] = [
  // Codex: "# AGENTS.md instructions for /p" and the file between tags
  { opening: /^# (AGENTS\.md) instructions[^\n]*\n\s*<INSTRUCTIONS>\n/m, closing: /^<\/INSTRUCTIONS>/m },
  { opening: /<user_instructions>\n/, closing: /<\/user_instructions>/ },
  // Claude Code: "Contents of /p/CLAUDE.md (project instructions, checked into the codebase):"
  {
    opening: /^Contents of (\S[^\n]{0,400}?\.md) \([^\n)]*instructions[^\n)]*\):\n/m,
    closing: endOfContents,
  },
  // The same for a file in a subdirectory that the agent entered
  { opening: /^Contents of (\S[^\n]{0,400}?):\n/m, closing: endOfContents, isByPath: true },
  // Copilot CLI and VS Code
  {
    opening: /<(?:custom_instructions?|instructions|attachment filePath="([^"\n]*instructions[^"\n]*)")>\n?/,
    closing: /<\/(?:custom_instructions?|instructions|attachment)>/,
  },
  // Gemini CLI
  { opening: /^--- Context from: (\S[^\n]{0,400}?\.md) ---\n/m, closing: /^--- End of Context from:/m },
  // opencode
  { opening: /^Instructions from: (\S[^\n]{0,400}?\.md)\n/m, closing: /^Instructions from: |^<\/?[a-z]/m },
  // Copilot CLI
  {
    opening: /<skill-context name="([^"\n]{1,100})">\n/,
    closing: /<\/skill-context>/,
    kind: 'skill',
  },
  // Codex
  { opening: /^<skill>\n(?:<name>([^<\n]{1,100})<\/name>\n)?/m, closing: /^<\/skill>/m, kind: 'skill' },
  // Claude Code
  { opening: /^Base directory for this skill: (\S[^\n]{0,400})\n/, closing: /^<\/?system-reminder>/m, kind: 'skill' },
];

/** Maximum files in one text of a client. */
const mostFiles = 20;

/**
 * The instruction files (`AGENTS.md`, `CLAUDE.md`, `copilot-instructions.md`, …) and skills in a text of a client. They have
 * engine origin, but the client inserts them on the user's behalf, so their rules may be pinned.
 *
 * @example
 * instructionsIn('Contents of /p/CLAUDE.md (project instructions):\nNever push.'); // one, named /p/CLAUDE.md
 */
function instructionsIn(text: string): Instructions[] {
  const found: Instructions[] = [];
  for (const { opening, closing, kind = 'instructions', isByPath } of frames) {
    let from = 0;
    while (found.length < mostFiles) {
      const start = opening.exec(text.slice(from));
      if (!start) break;
      const begin = from + start.index + start[0].length;
      const end = closing.exec(text.slice(begin));
      const stop = end ? begin + end.index : text.length;
      const name = start[1]?.trim();
      from = stop;
      if (isByPath && !instructionKind({ path: name ?? '' })) continue;
      const line = text.slice(0, begin).split('\n').length;
      found.push({ text: text.slice(begin, stop), line, kind, ...(name !== undefined && { name }) });
    }
  }
  return found;
}

/** Verbs with which people and instruction files send an agent to a document. */
const sends =
  /\b(?:read|re-?read|follow|obey|remember|consult|see|study|use|implement|check|refer(?:red)? to|according to|adhere to|comply with|stick to|work (?:through|from|by)|look at|go by|start (?:with|from)|continue with|described in|defined in|documented in|laid out in|rules in|lies|siehe|befolge|lee|sigue|lis|suis)\b|阅读|遵循|読んで|従って/i;

/** A document, not code: `docs/plan.md`, `@notes.txt`. */
const document = /(?<![\w/\\.~-])@?((?:[A-Za-z]:)?[\w./\\~-]{0,300}[\w-]\.(?:mdx?|mdc|txt|rst|adoc))(?![\w-])/gi;

/** What people say is short; a longer text is a paste, and its beginning is enough. */
const longestText = 20_000;

/**
 * The documents that a text tells its reader to read or to follow, as they are written there.
 *
 * @example
 * documentsNamedIn('Read @docs/plan.md first, then fix notes.md.'); // ['docs/plan.md', 'notes.md']
 */
function documentsNamedIn(text: string): string[] {
  return text
    .slice(0, longestText)
    .split('\n')
    .filter((line) => sends.test(line))
    .flatMap((line) => [...line.matchAll(document)].flatMap(([, path]) => path ?? []));
}

/** Whether a file is one of those that were named: the names are its path, or the end of it. */
function isNamed({ path, named }: { readonly path: string; readonly named: ReadonlySet<string> }): boolean {
  if (named.size === 0) return false;
  const segments = pathKey({ path }).toLowerCase().split('/');
  return segments.some((_, index) => named.has(segments.slice(index).join('/')));
}

/** How `isNamed` looks names up. */
function nameKey(path: string): string {
  return pathKey({ path })
    .toLowerCase()
    .replace(/^(?:\.?\/)+/, '');
}

/** Starts of a command line that run the program after them. */
const launcher = /^(?:npx|bunx|uvx|pnpm|yarn|bun|npm exec|poetry run|uv run) (?:-\w+ )*/i;
/** A program with a subcommand or an option whose only purpose is to print instructions for agents. */
const prints =
  /^([\w.@/-]{1,80})(?: [a-z][\w-]{0,30})? (?:prime|onboard(?:ing)?|instructions?|agent-instructions|agents?-(?:help|guide|context|rules)|(?:--|help )(?:help-)?agents?|--?agent-help|llms?-(?:help|guide)|guidelines|conventions)(?: --?[\w=-]{1,40}){0,4}(?: ?2>&1)?$/i;
/** Longer command lines do more than print one text. */
const longestCommand = 400;
/** Programs that show, search or change files: their last word is a file. */
const onFiles =
  /^(?:cat|less|more|head|tail|bat|nl|sed|awk|ls|dir|tree|find|fd|grep|rg|ag|wc|file|stat|echo|printf|touch|mkdir|rm|mv|cp|cd|git|gh|curl|wget|open|code|vim?|nano|type|gc|man|which|diff|sort|source|bash|sh|zsh)$/i;

/**
 * Whether a command line does nothing but print instructions for agents, as trackers and frameworks do.
 *
 * @example
 * printsInstructions('bd prime'); // true
 * printsInstructions('cat instructions'); // false
 */
function printsInstructions(command: string): boolean {
  if (command.length > longestCommand) return false;
  const words = command.split(/\s/).filter((word) => word !== '');
  const rest = words[0] === 'cd' && words[2] === '&&' && /^[^;&|<>`$]+$/.test(words[1] ?? '') ? words.slice(3) : words;
  const [, program] = prints.exec(rest.join(' ').replace(launcher, '')) ?? [];
  return program !== undefined && !onFiles.test(program.slice(program.lastIndexOf('/') + 1));
}
