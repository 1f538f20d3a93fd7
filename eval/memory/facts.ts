import { createReadStream } from 'node:fs';
import { rulesOn, type SourceItem, sourceItems } from 'longhaul/engine';
import { importSession } from 'longhaul/formats';
import { createMemoryStore, openSession, type SessionHeader } from 'longhaul/session';
import { outputsOf } from '../../packages/engine/src/analysis/index.ts';

/** A session with the facts that its calls and human messages show; see README.md. */
export interface FactSession {
  readonly file: string;
  readonly header: SessionHeader;
  readonly path: Awaited<ReturnType<Awaited<ReturnType<typeof openSession>>['path']>>;
  readonly items: readonly SourceItem[];
  readonly startedAt: number;
  readonly root: string;
  readonly request: string;
  /** Instruction files and system prompts, as far as the session shows them. */
  readonly instructions: string;
  /** `command:go test`, `location:src/a.ts`. */
  readonly facts: ReadonlySet<string>;
  readonly rules: readonly string[];
}

/** Imports a session file and reads its facts. */
export async function readSession({
  path: file,
  name,
}: {
  readonly path: string;
  readonly name: string;
}): Promise<FactSession | undefined> {
  const store = createMemoryStore();
  const { sessions } = await importSession({ store, path: file, open: () => createReadStream(file) });
  const [id] = sessions;
  if (id === undefined) return undefined;
  const live = await openSession({ store, id, allowDamage: true });
  const path = await live.path();
  const items = sourceItems(path);
  const outputs = outputsOf({ items });
  const root = live.header.cwd ?? rootOf(outputs.flatMap(({ call }) => touchedBy(call)));
  const facts = new Set<string>();
  const created = new Set<string>();
  for (const { call, outcome } of outputs) {
    if (!call || outcome.state === 'failed' || outcome.state === 'refused') continue;
    for (const { path: changed, op } of call.changes) {
      const place = relative({ path: changed, root });
      if (place !== undefined && op === 'write' && !facts.has(`location:${place}`)) created.add(place);
    }
    for (const touched of touchedBy(call)) {
      const place = relative({ path: touched, root });
      if (place !== undefined && !created.has(place)) facts.add(`location:${place}`);
    }
    if (call.shell && outcome.state === 'ok')
      for (const command of commandsIn(call.shell.command)) facts.add(`command:${command}`);
  }
  const human = items.flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])),
  );
  const system = path.flatMap((entry) =>
    entry.type === 'message' && entry.message.role === 'system' ? [entry.message] : [],
  );
  const engine = items.flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'engine' ? [part.text] : [])),
  );
  const read = outputs.flatMap(({ call, text }) =>
    call?.reads.some(({ path: one }) => /(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|copilot-instructions)\.md$/i.test(one))
      ? [text]
      : [],
  );
  return {
    file: name,
    header: live.header,
    path,
    items,
    startedAt: items[0]?.at ?? live.header.createdAt,
    root,
    request: human[0] ?? '',
    instructions: [
      ...system.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : ''))),
      ...engine,
      ...read,
    ].join('\n'),
    facts,
    rules: rulesOn(path, { root }).flatMap(({ by, text }) => (by === 'human' ? [text] : [])),
  };
}

type Parsed = ReturnType<typeof outputsOf>[number]['call'];

function touchedBy(call: Parsed): string[] {
  return call ? [...call.reads, ...call.changes].map(({ path }) => path) : [];
}

/** The longest folder that most absolute paths have in common. */
function rootOf(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!path.startsWith('/')) continue;
    const parts = path.split('/');
    for (let length = 2; length < parts.length; length += 1) {
      const folder = parts.slice(0, length).join('/');
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  const all = paths.filter((path) => path.startsWith('/')).length;
  const common = [...counts].filter(([, count]) => count >= all * 0.8).map(([folder]) => folder);
  return common.toSorted((a, b) => b.length - a.length)[0] ?? '/';
}

function relative({ path, root }: { readonly path: string; readonly root: string }): string | undefined {
  const slashed = path.replaceAll('\\', '/');
  const base = root.replaceAll('\\', '/').replace(/\/$/, '');
  const inside = slashed.startsWith(`${base}/`) ? slashed.slice(base.length + 1) : slashed;
  if (/^(?:[/~]|[A-Za-z]:)|^\.\.|[*?$]/.test(inside) || !/[\w-]\.\w+$|file$/i.test(inside)) return undefined;
  return inside.replace(/^(?:\.\/)+/, '');
}

const everyday =
  /^(?:cd|ls|cat|head|tail|grep|egrep|rg|sed|awk|find|fd|echo|printf|pwd|wc|sort|uniq|diff|cp|mv|rm|mkdir|touch|chmod|git|gh|which|env|export|true|false|test|sleep|kill|ps|curl|wget|tee|xargs|tree|stat|file|date|nl|cut|tr|jq|less|source|set|for|while|if|do|done|then|fi|else|time|timeout|apply_patch|open|\[|:)$/;

/** The commands of a line, reduced to what they run. */
function commandsIn(line: string): string[] {
  // Quoted text and heredocs are arguments.
  const bare = line
    .replace(/<<-?\s*['"]?(\w+)['"]?[\s\S]*?\n\1\b/g, ' ')
    .replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, ' QUOTED ');
  return bare.split(/&&|\|\||[;|\n]/).flatMap((piece) => {
    const words = piece
      .trim()
      .split(/\s+/)
      .filter((word) => !/^\w+=/.test(word) && !/^\d?[<>]/.test(word));
    const program = words[0]?.split('/').at(-1) ?? '';
    if (!/^[a-z][\w.+-]*$/i.test(program) || everyday.test(program)) return [];
    const rest: string[] = [];
    for (const word of words.slice(1)) {
      if (/^-/.test(word)) continue;
      if (!/^[a-z][\w:-]*$/i.test(word) || rest.length === 2) break;
      rest.push(word);
      if (!/^(?:run|exec|x|-m|compose|npm|pnpm|yarn|uv)$/.test(word)) break;
    }
    return [[program, ...rest].join(' ')];
  });
}

/** Whether two rules share two thirds of their words. */
export function isSameRule(a: string, b: string): boolean {
  const [one, two] = [wordsOf(a), wordsOf(b)];
  const shared = one.intersection(two).size;
  return shared > 0 && shared >= (2 / 3) * Math.max(one.size, two.size);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu));
}
