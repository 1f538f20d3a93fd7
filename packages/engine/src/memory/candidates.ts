import {
  decisionsIn,
  type Mask,
  outputsOf,
  rulesOn,
  type SourceItem,
  sourceItems,
  type ToolOutput,
  unitsOf,
} from '../analysis/index.ts';
import { type Entry, formatHandle, type SessionHeader } from '../session/index.ts';
import type { MemoryCandidate, MemoryEvidence, MemoryKind } from './entry.ts';
import { isSafeStatement, rememberedCommands, rememberedFile } from './trust.ts';

/** Files of one session that may become entries; the most used ones. */
const maxFiles = 30;
/** Statements of people of one session. */
const maxStatements = 20;
/** Calls after a failure in which another command may be found to work. */
const maxDistance = 6;

/**
 * The facts of a session that may become memory, found without a model: commands that worked, commands that worked after
 * others had failed, files that were read and changed, rules, corrections and decisions of people. Text of tools, models,
 * attachments and summaries is never a source; of calls, only the program, script and path are used.
 */
export function candidatesIn({
  path,
  header,
  mask,
  root = header.cwd ?? '/',
  branch,
}: {
  readonly path: readonly Entry[];
  readonly header: SessionHeader;
  readonly mask: Mask;
  /** The root of the repository, as the session names it. */
  readonly root?: string;
  /** Absent for the default branch. */
  readonly branch?: string | undefined;
}): MemoryCandidate[] {
  const items = sourceItems(path);
  const outputs = outputsOf({ items });
  const session = header.id;
  const evidence = (of: {
    readonly handle: string;
    readonly quotation: string;
    readonly at: number;
  }): MemoryEvidence => ({
    session,
    ...of,
    quotation: mask(of.quotation),
  });
  const onBranch = branch === undefined ? {} : { branch };
  const observed = [...commandFacts(outputs), ...fileFacts({ outputs, root })].map(
    ({ kind, text, subject, weight, source, quotation }): MemoryCandidate => ({
      kind,
      text,
      author: 'consolidation',
      authority: 'event',
      ...onBranch,
      ...(subject && { subject }),
      at: source.item.at,
      weight,
      evidence: evidence({
        handle: formatHandle({ entry: source.item.handle, part: source.part }),
        quotation,
        at: source.item.at,
      }),
    }),
  );
  const said = statements({ path, items, mask, root }).map(
    ({ kind, text, handle, at }): MemoryCandidate => ({
      kind,
      text: mask(text),
      author: 'consolidation',
      authority: 'person',
      ...onBranch,
      at,
      evidence: evidence({ handle, quotation: text, at }),
    }),
  );
  return [...observed, ...said];
}

interface ObservedFact {
  readonly kind: MemoryKind;
  readonly text: string;
  readonly subject?: { readonly file?: string; readonly command?: string };
  readonly weight: number;
  readonly source: ToolOutput;
  readonly quotation: string;
}

/** Why a command is run, by its name. */
const purposes: readonly (readonly [RegExp, string])[] = [
  [/\b(?:lint|eslint|clippy|ruff|rubocop|golangci-lint|oxlint|biome|vet|knip)\b/, 'lint'],
  [/\b(?:types?|tsc|tsgo|mypy|pyright|typecheck|check-types)\b/, 'types'],
  [/\b(?:fmt|format|prettier|gofmt|black|rustfmt)\b/, 'format'],
  [/\b(?:tests?|vitest|jest|pytest|mocha|spec|rspec|playwright)\b/, 'test'],
  [/\b(?:build|compile|package|bundle|webpack|tsup|tsdown)\b/, 'build'],
];

function purposeOf(command: string): string | undefined {
  return purposes.find(([pattern]) => pattern.test(command.replace(/[:_]/g, ' ')))?.[1];
}

function commandFacts(outputs: readonly ToolOutput[]): ObservedFact[] {
  const runs = outputs.flatMap((output) => {
    const line = output.call?.shell?.command;
    if (line === undefined || (output.outcome.state !== 'ok' && output.outcome.state !== 'failed')) return [];
    const isPiped = output.call?.shell?.effects.isPiped ?? false;
    const commands = [...new Set(rememberedCommands(line))];
    // The exit code of a line is that of its last command.
    const isOk = output.outcome.state === 'ok' && !(isPiped && output.outcome.isUnproven);
    return commands.map((command) => ({ command, isOk, output }));
  });
  const worked = Map.groupBy(
    runs.filter(({ isOk }) => isOk),
    ({ command }) => command,
  );
  const facts = [...worked].map(([command, all]): ObservedFact => {
    const last = all.at(-1) ?? all[0];
    return {
      kind: 'command',
      text: `\`${command}\` works.`,
      subject: { command },
      weight: all.length,
      source: last?.output as ToolOutput,
      // The rest of the line may be anything.
      quotation: command,
    };
  });
  return [...facts, ...workarounds({ runs, worked: new Set(worked.keys()) })];
}

interface FinishedRun {
  readonly command: string;
  readonly isOk: boolean;
  readonly output: ToolOutput;
}

/** A command that never worked, and another one for the same purpose that did soon after. */
function workarounds({
  runs,
  worked,
}: {
  readonly runs: readonly FinishedRun[];
  readonly worked: ReadonlySet<string>;
}): ObservedFact[] {
  const found = new Map<string, ObservedFact>();
  for (const [index, failed] of runs.entries()) {
    if (failed.isOk || worked.has(failed.command)) continue;
    const purpose = purposeOf(failed.command);
    const next = runs
      .slice(index + 1, index + 1 + maxDistance)
      .find(({ isOk, command }) => isOk && purpose !== undefined && purposeOf(command) === purpose);
    if (!next) continue;
    const text = `\`${failed.command}\` failed; \`${next.command}\` worked instead.`;
    found.set(text, {
      kind: 'pitfall',
      text,
      subject: { command: next.command },
      weight: 1,
      source: next.output,
      quotation: next.command,
    });
  }
  return [...found.values()];
}

function fileFacts({
  outputs,
  root,
}: {
  readonly outputs: readonly ToolOutput[];
  readonly root: string;
}): ObservedFact[] {
  const files = new Map<string, { weight: number; source: ToolOutput; isCreated: boolean }>();
  for (const output of outputs) {
    const { call, outcome } = output;
    if (!call || (outcome.state !== 'ok' && outcome.state !== 'running')) continue;
    const touched = new Map<string, number>();
    for (const { path } of call.reads) touched.set(path, Math.max(touched.get(path) ?? 0, 1));
    for (const { path } of call.changes) touched.set(path, 2);
    for (const [path, weight] of touched) {
      const file = rememberedFile({ path, root });
      if (file === undefined) continue;
      const known = files.get(file) ?? { weight: 0, source: output, isCreated: false };
      const isDeleted = call.changes.some((change) => change.path === path && change.op === 'delete');
      if (isDeleted) files.delete(file);
      else files.set(file, { ...known, weight: known.weight + weight, source: output });
    }
  }
  return [...files]
    .toSorted(([a, x], [b, y]) => y.weight - x.weight || (a < b ? -1 : 1))
    .slice(0, maxFiles)
    .map(([file, { weight, source }]) => ({
      kind: 'location',
      text: `\`${file}\``,
      subject: { file },
      weight,
      source,
      quotation: file,
    }));
}

/** Wordings of rules that are meant to last. */
const lasting =
  /\b(?:always|never|from now on|going forward|in the future|every time|whenever|in (?:this|our|the) (?:repo|repository|project|codebase|code base)|we (?:use|prefer|never|always|don['’]?t)|i (?:prefer|always|never|want you to always)|prefer|remember(?: that| to)?|by default|as a rule|immer|niemals|nie\b|siempre|nunca|sempre|toujours|jamais)/i;

/** How people state what they do in general. */
const habit = /^(?:we|i) (?:always|never|prefer|only (?:use|write|commit))\b/i;

/** Words that refer to what was on the screen, so that the sentence means nothing later. */
const momentary =
  /\b(?:this (?:time|one|file|line|error|test|pr|commit|branch|change|task|session|issue|bug|step|message|document)|these|those|right now|for now|today|yet|above|below|the (?:last|next|same|current|previous|following) |again|you (?:just|did|were|said|have)|it['’]?s|there['’]?s|see (?:the|how|what))\b|^(?:it|that|they|he|she|then|and|but|so|also)\b/i;

/** The start of a message that corrects what the agent did. */
const correcting =
  /^(?:no|nope|wrong|not like that|that['’]?s (?:wrong|not)|stop|don['’]?t|do not|please don['’]?t|actually|instead|use )\b/i;

/** Words that a rule may open with before it says what to do. */
const openings =
  /^(?:(?:please|also|and|note(?: that)?|important|remember(?: that| to)?|reminder|rule|as a rule|by default|going forward|from now on|in the future|again)[:,]? |(?:in|for|across) (?:this|our|the) (?:whole |entire )?(?:repo(?:sitory)?|project|codebase|code base|workspace|package)[:,]? )+/i;

/** What an agent is asked to do: an imperative. */
const imperative =
  /^(?:always|never|don['’]?t|do not|do|avoid|prefer|use|only|keep|run|write|add|put|make|ensure|be|commit|test|check|ask|answer|reply|respond|explain|format|name|import|export|follow|stick|stop|start|leave|create|update|read|look|show|tell|call|wait|limit|place|store|sort|document|mock|pin|squash|rebase|push|merge|immer|niemals|nie|nunca|siempre|sempre|toujours|jamais)\b/i;

/** The people and agents that do the work, as its subject. */
const workers = /\b(?:you|we|i|agents?|everyone|everybody|contributors?|developers?|the team)\b/i;

/** Things that are made or handled while working on a project. What they should be like is a convention. */
const workingMaterial =
  /\b(?:tests?|specs?|fixtures?|mocks?|snapshots?|commits?|messages|branch(?:es)?|prs?|pull requests?|reviews?|code|functions?|methods?|class(?:es)?|components?|hooks?|files?|folders?|director(?:y|ies)|names?|naming|variables?|constants?|imports?|exports?|comments?|docs?|documentation|docstrings?|changes?|changelogs?|migrations?|types?|interfaces|modules?|packages?|dependenc(?:y|ies)|versions?|releases?|strings?|quotes?|lines?|tabs?|spaces|indentation|identifiers?|schemas?|configs?|scripts?|builds?|ci|lint(?:er|ing)?|formatting|style|todos?|secrets?|credentials?|answers?|replies|explanations?|language)\b/i;

/** Between a subject and what it should do. */
const obligation =
  /\b(?:should|must|shall|will|would|needs?|has|have|ought|can|may|cannot|mustn['’]?t|shouldn['’]?t|always|never)\b/i;

/** A wish for the thing that is being built. */
const wish = /\b(?:we|i)(?:['’]d| would)? (?:want|need|like)\b(?! you\b)/i;

/**
 * Whether a sentence says how to work on the project. A sentence with `always` about something else, such as "the panel
 * should always show the newest session", describes the program that is wanted and belongs to the task only.
 */
function isAboutWork(text: string): boolean {
  const plain = text.replace(openings, '').replace(/^[*_`#>\s-]+/, '');
  if (wish.test(plain)) return false;
  // `When the user clicks it, …`: the rule is what follows. A condition about the worker stays.
  const [, condition = '', rest = ''] =
    /^(?:when(?:ever)?|if|once|after|before|while|unless) ([^,]{1,120}), {0,4}(.*)$/is.exec(plain) ?? [];
  const isOfProgram =
    condition !== '' && !workers.test(condition) && !/^\w+ing\b/i.test(condition) && !workingMaterial.test(condition);
  const main = (rest === '' ? plain : rest).replace(/^(?:make sure|ensure|be sure)(?: that)? /i, '');
  const isPassedOn = main.length < (rest === '' ? plain : rest).length;
  if (!isPassedOn && imperative.test(main)) return !isOfProgram;
  const end = obligation.exec(main)?.index ?? main.length;
  const subject = main.slice(0, end);
  return workers.test(subject) || workingMaterial.test(subject);
}

interface Said {
  readonly kind: MemoryKind;
  readonly text: string;
  readonly handle: string;
  readonly at: number;
}

/** Rules, corrections and decisions in the words of people. */
function statements({
  path,
  items,
  mask,
  root,
}: {
  readonly path: readonly Entry[];
  readonly items: readonly SourceItem[];
  readonly mask: Mask;
  readonly root: string;
}): Said[] {
  const times = new Map(path.map(({ handle, at }) => [handle, at]));
  const timeOf = (handle: string) => times.get(Number(/\d+/.exec(handle)?.[0] ?? 0)) ?? 0;
  const answered = new Set(
    items.flatMap(({ handle, message }, index) =>
      message.role === 'user' &&
      items.slice(Math.max(0, index - 3), index).some((item) => item.message.role === 'assistant')
        ? [handle]
        : [],
    ),
  );
  const long = new Set(items.filter(({ message }) => humanLength(message) > maxMessage).map(({ handle }) => handle));
  const isLong = (handle: string) => long.has(Number(/\d+/.exec(handle)?.[0] ?? 0));
  const rules = rulesOn(path, { root }).flatMap(({ text, by, from, strength }): Said[] => {
    if (by !== 'hand' && (by !== 'human' || isLong(from))) return [];
    const isCorrection = correcting.test(text) && answered.has(Number(/\d+/.exec(from)?.[0] ?? 0));
    const isLasting = by === 'hand' || lasting.test(text) || (strength === 'strong' && isCorrection);
    if (!isLasting || (by !== 'hand' && (momentary.test(text) || !isAboutWork(text)))) return [];
    return [{ kind: preferring.test(text) ? 'preference' : 'convention', text, handle: from, at: timeOf(from) }];
  });
  const decisions = decisionsIn({ items, limit: 40, mask }).flatMap(({ text, by, kind, handle, hasReason }): Said[] =>
    by === 'human' && kind === 'decision' && hasReason && !momentary.test(text) && !wish.test(text) && !isLong(handle)
      ? [{ kind: 'decision', text, handle, at: timeOf(handle) }]
      : [],
  );
  const habits = items.flatMap(({ handle, message, at }) => {
    if (long.has(handle)) return [];
    return message.parts.flatMap((part, index) => {
      if (part.type !== 'text' || part.origin !== 'human') return [];
      return unitsOf(part.text).flatMap(({ text, line }): Said[] => {
        if (!habit.test(text) || momentary.test(text)) return [];
        const from = formatHandle({ entry: handle, part: index + 1, lines: { from: line, to: line } });
        return [{ kind: preferring.test(text) ? 'preference' : 'convention', text, handle: from, at }];
      });
    });
  });
  const seen = new Set<string>();
  const typed = new Map(items.map(({ handle, message }) => [handle, typedText(message)]));
  return [...rules, ...habits, ...decisions]
    .filter(({ text, handle }) => (typed.get(Number(/\d+/.exec(handle)?.[0] ?? 0)) ?? '').includes(flat(text)))
    .filter(({ text }) => text.length >= 12 && text.length <= 300 && isSafeStatement(text))
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(-maxStatements);
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** What a person typed, without the tagged blocks that clients put next to it: files, reminders, environments. */
function typedText({ parts }: SourceItem['message']): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [flat(withoutBlocks(part.text))] : []))
    .join('\n');
}

function withoutBlocks(text: string): string {
  const open: { readonly name: string; readonly start: number }[] = [];
  const blocks: { readonly start: number; readonly end: number }[] = [];
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(
    /<(\/?)([a-z][\w-]{0,60})(?:\s[^<>]{0,300})?>/gi,
  )) {
    if (slash === '') {
      open.push({ name, start: index });
      continue;
    }
    const at = open.findLastIndex((one) => one.name === name);
    if (at < 0) continue;
    const { start } = open[at] ?? { start: index };
    open.length = at;
    blocks.push({ start, end: index + tag.length });
  }
  let [rest, from] = ['', 0];
  for (const { start, end } of blocks.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= from) continue;
    rest += `${text.slice(from, Math.max(from, start))} `;
    from = end;
  }
  return rest + text.slice(from);
}

/** A longer message is a document or a template of a harness, with rules for one task. */
const maxMessage = 3_000;

function humanLength({ parts }: SourceItem['message']): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' && part.origin === 'human' ? part.text.length : 0), 0);
}

/** How a person speaks of the work with the agent rather than of the project. */
const preferring =
  /\b(?:i (?:prefer|like|want|always|never)|(?:answer|reply|respond|explain|ask me|tell me|show me|talk|language))\b/i;

/** A note that a model wants to add to the board. */
export interface AgentNote {
  readonly kind: MemoryKind;
  readonly text: string;
  /** The human message that it quotes. */
  readonly handle?: string;
}

/**
 * A note of a model as a candidate, if the session supports it; otherwise why not. Commands must have worked and files
 * must have been used in this session; conventions, preferences and decisions must quote a person word for word. So a
 * text that a tool returned cannot become memory through the model.
 *
 * @example
 * const note = { kind: 'command', text: '`npm test` runs all tests.' } as const;
 * const mask = createMask();
 * const checked = checkNote({ note, path: entries, header, mask, root: cwd, at: Date.now() });
 * if ('refused' in checked) console.log(checked.refused);
 */
export function checkNote({
  note,
  path,
  header,
  mask,
  root,
  branch,
  at,
}: Omit<Parameters<typeof candidatesIn>[0], 'root'> & {
  readonly note: AgentNote;
  readonly root: string;
  readonly at: number;
}): MemoryCandidate | { readonly refused: string } {
  const items = sourceItems(path);
  const { kind, text } = note;
  if (!isSafeStatement(text)) return { refused: 'It asks for something that is not remembered without the user.' };
  const observed = candidatesIn({ path, header, mask, root, branch }).filter(({ authority }) => authority === 'event');
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  const support = (code: string) =>
    observed.find(
      ({ subject }) => subject?.file === code || (subject?.command !== undefined && code.startsWith(subject.command)),
    );
  if (kind === 'command' || kind === 'location') {
    const named = spans.length > 0 ? spans : [text.trim()];
    const found = named.map(support).find((one) => one?.kind === kind);
    if (found) return { ...found, author: 'agent', at };
    return {
      refused: `No call of this session shows it. Name ${kind === 'command' ? 'a project script or checker that succeeded' : 'a file that was read or changed'} in backticks.`,
    };
  }
  if (kind === 'pitfall') {
    const [found] = spans.flatMap((code) => support(code) ?? []);
    const isCopied = outputsOf({ items }).some((output) => output.text.includes(text));
    if (!found || spans.some((code) => !support(code)) || isCopied)
      return { refused: 'A pitfall must name only commands and files of this session, in backticks and in own words.' };
    return { ...found, kind, text: mask(text), author: 'agent', authority: 'agent', at };
  }
  const entry = Number(/^@?(\d+)/.exec(note.handle ?? '')?.[1] ?? Number.NaN);
  const item = items.find(({ handle }) => handle === entry);
  const isQuoted = item?.message.parts.some(
    (part) =>
      part.type === 'text' &&
      part.origin === 'human' &&
      // Not in quotations, code blocks and pasted output.
      unitsOf(withoutBlocks(part.text)).some((unit) => flat(unit.text).includes(flat(text))),
  );
  if (!item || !isQuoted)
    return { refused: 'Give the handle of a message of the user, and its exact words as the text.' };
  const handle = formatHandle({ entry: item.handle });
  return {
    kind,
    text: mask(text),
    author: 'agent',
    authority: 'person',
    ...(branch !== undefined && { branch }),
    at,
    evidence: { session: header.id, handle, quotation: mask(text), at: item.at },
  };
}
