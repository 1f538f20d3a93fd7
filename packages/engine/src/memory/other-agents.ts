import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { MemoryCandidate, MemoryKind } from './entry.ts';
import { isSafeStatement, rememberedCommands } from './trust.ts';

/** What was read of a memory file. */
export interface ImportedMemory {
  readonly candidates: readonly MemoryCandidate[];
  /** Statements that were left out because they ask for something dangerous or command the reader. */
  readonly refused: readonly string[];
}

const maxStatement = 300;
const minStatement = 8;
const maxStatements = 500;

/**
 * Reads the memory of another agent: `copilot-memories.jsonl`, Claude Code's memory files, or sections of an instruction
 * file. Its entries have the authority of a file.
 *
 * @example
 * const { candidates } = importMemory({ name: 'AGENTS.md', text: '## Testing\n\n- Run `npm test`.\n', at: Date.now() });
 */
export function importMemory({
  name,
  text,
  at,
  section,
}: {
  /** The file name, by which the format is recognized. */
  readonly name: string;
  readonly text: string;
  readonly at: number;
  /** Only the section with this heading. */
  readonly section?: string;
}): ImportedMemory {
  const found = /\.jsonl$/i.test(name) ? linesOf(text) : statementsOf({ text, section });
  const refused: string[] = [];
  const candidates = found.slice(0, maxStatements).flatMap(({ kind, text: statement }): MemoryCandidate[] => {
    if (!isSafeStatement(statement)) {
      refused.push(statement);
      return [];
    }
    const spans = [...statement.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    const commands = spans.flatMap(rememberedCommands);
    const [command] = commands;
    const isCommand = commands.length === 1 && command !== undefined && spans.length === 1;
    return [
      {
        kind: isCommand ? 'command' : kind,
        text: statement,
        author: 'person',
        authority: 'file',
        at,
        ...(isCommand && { subject: { command } }),
      },
    ];
  });
  return { candidates, refused };
}

interface ReadStatement {
  readonly kind: MemoryKind;
  readonly text: string;
}

/** GitHub Copilot: one JSON object per line, with a fact and where it was seen. */
function linesOf(text: string): ReadStatement[] {
  return text.split('\n').flatMap((line): ReadStatement[] => {
    const value = parseJson(line);
    if (!isObject(value)) return [];
    const fact = firstText(value, ['fact', 'memory', 'content', 'text']);
    const subject = firstText(value, ['category', 'type', 'subject']) ?? '';
    return fact === undefined ? [] : statement({ text: fact, topic: subject });
  });
}

function firstText(value: JsonObject, names: readonly string[]): string | undefined {
  return names.map((name) => value[name]).find((one): one is string => typeof one === 'string' && one.trim() !== '');
}

/** List items and paragraphs of Markdown, without code blocks, tables and quotations. */
function statementsOf({
  text,
  section,
}: {
  readonly text: string;
  readonly section: string | undefined;
}): ReadStatement[] {
  const matter = /^---\n([\s\S]*?)\n---\n/.exec(text);
  const type = /^ {0,8}type: {0,8}(\w+)/m.exec(matter?.[1] ?? '')?.[1] ?? '';
  const body = text.slice(matter?.[0].length ?? 0);
  let isCode = false;
  let topic = type;
  let isWanted = section === undefined;
  let depth = 0;
  const statements: ReadStatement[] = [];
  let paragraph: string[] = [];
  const close = () => {
    statements.push(...statement({ text: paragraph.join(' '), topic }));
    paragraph = [];
  };
  for (const line of body.split('\n')) {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) {
      close();
      isCode = !isCode;
      continue;
    }
    if (isCode) continue;
    const [, marks = '', heading = ''] = /^(#{1,6}) (.+)$/.exec(line) ?? [];
    const title = heading.trim();
    if (marks !== '') {
      close();
      topic = `${type} ${title}`;
      const isNamed = title.toLowerCase() === section?.trim().toLowerCase();
      if (section !== undefined && (isNamed || marks.length <= depth)) isWanted = isNamed;
      if (isNamed) depth = marks.length;
      continue;
    }
    const isItem = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/.test(line);
    if (isItem || line.trim() === '' || /^\s*[>|<]/.test(line)) close();
    if (isWanted && !/^\s*[>|<]/.test(line))
      paragraph.push(line.replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim());
  }
  close();
  return statements;
}

function statement({ text, topic }: { readonly text: string; readonly topic: string }): ReadStatement[] {
  const plain = text.replace(/\[([^\]\n]{1,200})\]\([^)\n]{1,300}\)/g, '$1').trim();
  if (plain.length < minStatement || plain.length > maxStatement || !/\p{L}{2}/u.test(plain)) return [];
  return [{ kind: kindOf(topic), text: plain }];
}

function kindOf(topic: string): MemoryKind {
  if (/\b(?:user|feedback|preferences?|style)\b/i.test(topic)) return 'preference';
  if (/\b(?:pitfalls?|gotchas?|troubleshooting|known issues?|caveats?|warnings?)\b/i.test(topic)) return 'pitfall';
  if (/\b(?:decisions?|architecture|project|why)\b/i.test(topic)) return 'decision';
  return 'convention';
}
