import type { Message, Part, ToolCallPart, ToolResultPart } from '../../message/index.ts';
import type { EntryId } from '../../session/index.ts';
import { argumentNames, argumentsOf, listArgument, textArgument } from '../calls/arguments.ts';
import { readCall } from '../calls/call.ts';
import { pathKey } from '../calls/paths.ts';
import { isCut, resultText } from '../calls/result-text.ts';
import { plainName, toolKind } from '../calls/tools.ts';
import type { SourceItem } from '../source-item.ts';
import { type InstructionKind, instructionKind, isOwnFile } from './instruction-path.ts';
import { instructionsIn } from './instructions.ts';
import { documentsNamedIn, isNamed, nameKey, printsInstructions } from './named-documents.ts';

/** A text that an agent is to follow as a whole: an instruction file, a skill, what its client told it in between. */
export interface InstructionDocument {
  readonly kind: InstructionKind;
  /** As people would name it: `AGENTS.md`, a skill's name. */
  readonly name: string;
  /** The same for every reading of one file. */
  readonly key: string;
  readonly text: string;
  /** The number of its first line in its part, from 1. */
  readonly line: number;
  readonly place: { readonly entry: number; readonly part: number };
  readonly entry: EntryId;
  /** All of the file, not some of its lines. */
  readonly isWhole: boolean;
  /** A client's reminder: only sentences that say that they are rules count. */
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
  /** System messages among them are those that came after the first word. */
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

type Found = Omit<InstructionDocument, 'place' | 'entry'>;

function textsIn(of: {
  readonly message: Message;
  readonly part: Part;
  readonly index: number;
  readonly calls: ReadonlyMap<string, ToolCallPart>;
  readonly named: ReadonlySet<string>;
  readonly root: string | undefined;
}): Found[] {
  const { message, part, index, calls, named, root } = of;
  if (part.type === 'tool_result') return read({ result: part, call: calls.get(part.callId), named, root });
  if (part.type !== 'text' || part.origin !== 'engine') return [];
  if (message.role === 'system') return developerText(part.text);
  const framed = instructionsIn(part.text).map(({ text, line, kind, name = 'instructions' }): Found => {
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
}): Found[] {
  if (!call || result.isError || !mayConcern.test(`${call.name} ${call.arguments.slice(0, 4000)}`)) return [];
  const said = resultText(result);
  if (toolKind(call.name) === 'skill') {
    const name = textArgument({ from: argumentsOf(call), names: ['skill', 'name', 'command'] }) ?? 'skill';
    return said.length < shortestSkill
      ? []
      : [
          {
            kind: 'skill',
            name,
            key: keyOf({ kind: 'skill', name, root }),
            text: plainResult(said),
            line: 1,
            isWhole: true,
          },
        ];
  }
  const printed = commandOf({ call, root });
  if (printed !== undefined && printsInstructions(printed)) {
    const name =
      printed
        .trim()
        .split(/\s*&&\s*/)
        .at(-1) ?? printed;
    return [
      {
        kind: 'instructions',
        name,
        key: `command:${name}`,
        text: plainResult(said),
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
  // Of a command that shows other text too, nothing tells which of it is the file's.
  if (!first || !kind || kinds.includes(undefined)) return [];
  const isByName = files.some(({ path }) => !instructionKind({ path, root }));
  const name = first.path;
  const isWhole = files.length === 1 && first.isWhole && !isCut(said);
  return [
    {
      kind,
      name: lastName({ name, kind }),
      key: keyOf({ kind, name, root }),
      text: plainResult(said),
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

/** What the name or the arguments of a call that loads instructions contain; reading every call would be slow. */
const mayConcern =
  /\.(?:mdx?|mdc|txt|rst|adoc)\b|skill|rules|instruction|contributing|goosehints|prime|onboard|guide|convention|agent|llm/i;

/** A shorter answer of the tool that loads skills only says that it was loaded. */
const shortestSkill = 200;

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

/** A command line that shows files and does nothing else; what stands before it may only change the folder. */
const showsOneFile =
  /^\s*(?:cd\s+[^\s;&|<>`$]+\s*&&\s*)?(?:cat|nl|head|tail|sed|less|more|bat|type|gc|Get-Content)\s[^;&|<>`$\n]*(?:\|\s*(?:head|tail|sed -n|nl|cat -n|Select-Object)\b[^;&|<>`$\n]*)?$/i;

/** A result without what agents put around the file: their header and their reminders. Lines keep their numbers. */
function plainResult(text: string): string {
  const blank = (found: string) => found.replace(/[^\n]+/g, '');
  return text
    .replace(/<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g, blank)
    .replace(/^(?:Exit code|Chunk ID|Wall time)[\s\S]{0,400}?\n(?:Total output lines: \d+\n\n)?Output:\n/, blank);
}

/** Claude Code gives a file that it attaches as two parts: its path, then its content. */
function attached(of: {
  readonly before: Part | undefined;
  readonly text: string;
  readonly root: string | undefined;
}): Found[] | undefined {
  const { before, text, root } = of;
  if (before?.type !== 'text' || before.origin !== 'engine') return undefined;
  const name = /^(\S[^\n]{0,400}):$/.exec(before.text)?.[1];
  if (name === undefined || /(?:^|[\\/])plans[\\/]/.test(name)) return undefined;
  const kind = instructionKind({ path: name, root }) ?? (/[\\/.]/.test(name) ? 'instructions' : 'skill');
  return [{ kind, name: lastName({ name, kind }), key: keyOf({ kind, name, root }), text, line: 1, isWhole: true }];
}

/** What a client told the model between two turns, as a system message: its newest word on a matter holds. */
function developerText(text: string): Found[] {
  const name = /^\s*<([a-z][\w -]{0,60})>/i.exec(text)?.[1]?.trim() ?? 'system message';
  return [{ kind: 'instructions', name, key: `system:${name}`, text: untagged(text), line: 1, isWhole: true }];
}

/** Tags in which clients remind a model of how to behave. */
const reminders = /^\s*<(system[-_]reminder|local-command-caveat|user-prompt-submit-hook|session-start-hook)>/;
/** Reminders that show what a file or a tool says: that is no instruction of the client. */
const shows =
  /result of calling|was modified|relevant changes|contents? of|output of|stdout|opened the file|selected the lines/i;
const longestReminder = 4000;

function reminder(text: string): Found[] {
  const [, tag] = reminders.exec(text) ?? [];
  if (tag === undefined || text.length > longestReminder || shows.test(text)) return [];
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

/** A skill has one name, whether it was loaded or its file read; files have their paths. */
function keyOf(of: {
  readonly kind: InstructionKind;
  readonly name: string;
  readonly root: string | undefined;
}): string {
  const { kind, name, root } = of;
  const isSkillFile = kind !== 'skill' || /\.md$/i.test(name);
  return `${kind}:${isSkillFile && !/skill\.md$/i.test(name) ? pathKey({ path: name, root }) : lastName({ name, kind })}`;
}
