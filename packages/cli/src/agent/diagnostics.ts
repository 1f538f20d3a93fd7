import { join, relative, resolve } from 'node:path';
import type { Permissions, Tool } from 'longhaul/agent';
import { isRecord } from '../input/is-record.ts';
import { childEnvironment } from '../io/child-environment.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { clip } from '../text/clip.ts';

/** An error that a checker reports. */
interface Diagnostic {
  /** Absolute. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A program of the project that checks it. */
interface Checker {
  readonly name: string;
  /** Files that it must find in the folder; the first of each list that exists counts. */
  readonly needs: readonly (readonly string[])[];
  /** The command without file names: what the user is asked about. */
  readonly command: string;
  /** Whether the names of the changed files are added; otherwise it checks the whole project. */
  readonly isPerFile: boolean;
  readonly files: RegExp;
  readonly read: (output: string) => readonly Diagnostic[];
}

/** At most so many errors, so long each, are added to a result. */
const mostErrors = 10;
const longestText = 300;

const eslintFiles = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((end) => `eslint.config.${end}`);

const checkers: readonly Checker[] = [
  {
    name: 'tsc',
    needs: [['tsconfig.json'], ['node_modules/.bin/tsc']],
    command: 'node_modules/.bin/tsc --noEmit --pretty false',
    isPerFile: false,
    files: /\.[cm]?tsx?$/,
    read: (output) => matches({ output, line: /^([^(\n]+)\((\d{1,7}),\d{1,7}\): error (TS\d{1,6}: .+)$/ }),
  },
  {
    name: 'eslint',
    needs: [
      [...eslintFiles, '.eslintrc.json', '.eslintrc.js', '.eslintrc.cjs', '.eslintrc.yml'],
      ['node_modules/.bin/eslint'],
    ],
    command: 'node_modules/.bin/eslint --format json',
    isPerFile: true,
    files: /\.[cm]?[jt]sx?$/,
    read: eslintErrors,
  },
  {
    name: 'biome',
    needs: [['biome.json', 'biome.jsonc'], ['node_modules/.bin/biome']],
    command: 'node_modules/.bin/biome lint --reporter=github --no-errors-on-unmatched',
    isPerFile: true,
    files: /\.(?:[cm]?[jt]sx?|jsonc?|css|graphql)$/,
    read: githubErrors,
  },
  {
    name: 'ruff',
    needs: [['ruff.toml', '.ruff.toml', 'pyproject.toml']],
    command: 'ruff check --output-format concise --quiet',
    isPerFile: true,
    files: /\.pyi?$/,
    read: (output) => matches({ output, line: /^([^:\n]+):(\d{1,7}):\d{1,7}: (.+)$/ }),
  },
  {
    name: 'cargo check',
    needs: [['Cargo.toml']],
    command: 'cargo check --message-format short --quiet',
    isPerFile: false,
    files: /\.rs$/,
    read: (output) => matches({ output, line: /^([^:\n]+):(\d{1,7}):\d{1,7}: (error.+)$/ }),
  },
];

function matches({ output, line }: { readonly output: string; readonly line: RegExp }): Diagnostic[] {
  return output.split('\n').flatMap((text) => {
    const [, file, at, message] = line.exec(text.trimEnd().slice(0, 2_000)) ?? [];
    return file === undefined || message === undefined ? [] : [{ file, line: Number(at), text: message }];
  });
}

/** Annotations of GitHub: `::error title=RULE,file=PATH,line=1,…::MESSAGE`. */
function githubErrors(output: string): Diagnostic[] {
  return output.split('\n').flatMap((text) => {
    const [start = '', fields = '', ...message] = text.trimEnd().split('::');
    if (start !== '' || !fields.startsWith('error ')) return [];
    const values = new Map(
      fields
        .slice(6)
        .split(',')
        .map((field) => [field.slice(0, field.indexOf('=')), field.slice(field.indexOf('=') + 1)]),
    );
    const file = values.get('file');
    const rule = values.get('title');
    const words = `${message.join('::')}${rule === undefined ? '' : ` (${rule})`}`;
    return file === undefined ? [] : [{ file, line: Number(values.get('line') ?? 1), text: words }];
  });
}

function eslintErrors(output: string): Diagnostic[] {
  let results: unknown;
  try {
    results = JSON.parse(output);
  } catch {
    return [];
  }
  if (!Array.isArray(results)) return [];
  return results.flatMap((result: unknown) => {
    if (!isRecord(result) || typeof result.filePath !== 'string' || !Array.isArray(result.messages)) return [];
    const file = result.filePath;
    return result.messages.flatMap((one: unknown) => {
      if (!isRecord(one) || one.severity !== 2 || typeof one.message !== 'string') return [];
      const rule = typeof one.ruleId === 'string' ? ` (${one.ruleId})` : '';
      return [{ file, line: typeof one.line === 'number' ? one.line : 1, text: one.message + rule }];
    });
  });
}

/**
 * Wraps the tools that change files: after a change the checkers of the project run, and errors that are new are added to
 * the result. A checker runs only if the settings or the user allow it, and is not used again once it was too slow.
 *
 * @example
 * const wrap = diagnosticsFor({ io, cwd, values, permissions, onNotice });
 * const tools = createTools(input).map(wrap);
 */
export function diagnosticsFor({
  io,
  cwd,
  values,
  permissions,
  onNotice,
}: {
  readonly io: Pick<Io, 'env' | 'files' | 'runCommand'>;
  readonly cwd: string;
  readonly values: Pick<Settings, 'diagnostics'>;
  readonly permissions: Permissions;
  readonly onNotice: (text: string) => void;
}): (tool: Tool) => Tool {
  const { mode, seconds } = values.diagnostics;
  const available = new Map<Checker, Promise<boolean>>();
  const tooSlow = new Set<Checker>();
  /** What is known, by checker and by file or project: how often each error occurs. */
  const known = new Map<string, Map<string, number>>();
  return (tool) => {
    const { name } = tool.definition;
    if (mode === 'off' || (name !== 'write' && name !== 'edit')) return tool;
    return {
      ...tool,
      async run(call) {
        const given = call.input.file_path;
        const file = typeof given === 'string' ? resolve(cwd, given) : undefined;
        if (file === undefined || relative(cwd, file).startsWith('..')) return await tool.run(call);
        const used = await usable({ file, callId: call.callId, signal: call.signal });
        for (const checker of used) {
          if (!known.has(keyOf({ checker, file })))
            known.set(keyOf({ checker, file }), counted((await check({ checker, file, signal: call.signal })) ?? []));
        }
        const outcome = await tool.run(call);
        if (outcome.isError) return outcome;
        const found = await Promise.all(
          used.map(async (checker) => await newErrors({ checker, file, signal: call.signal })),
        );
        const text = report({ errors: found.flat(), file, cwd });
        if (text === undefined) return outcome;
        return { ...outcome, content: [...outcome.content, { type: 'text', origin: 'tool', text }] };
      },
    };
  };

  async function usable(of: {
    readonly file: string;
    readonly callId: string;
    readonly signal: AbortSignal;
  }): Promise<Checker[]> {
    const used: Checker[] = [];
    for (const checker of checkers) {
      if (!checker.files.test(of.file) || tooSlow.has(checker)) continue;
      const answer = available.get(checker) ?? isAvailable({ checker, ...of });
      available.set(checker, answer);
      if (await answer) used.push(checker);
    }
    return used;
  }

  /** Found in the folder, and allowed: asked once per run; the answer can be saved for the folder. */
  async function isAvailable(of: {
    readonly checker: Checker;
    readonly callId: string;
    readonly signal: AbortSignal;
  }): Promise<boolean> {
    const { needs, command } = of.checker;
    for (const names of needs) {
      const found = await Promise.all(names.map((name) => io.files.stat(join(cwd, name)).catch(() => undefined)));
      if (found.every((facts) => facts === undefined)) return false;
    }
    if (mode === 'on') return true;
    const access = { kind: 'execute', command, cwd } as const;
    const request = {
      callId: of.callId,
      tool: 'bash',
      input: { command },
      access,
      summary: `check after edits: ${command}`,
      reason: 'it runs after this and every later edit, so that the agent sees new errors',
      isOptional: true,
    } as const;
    return (await permissions.decide(request, of.signal)).allowed;
  }

  async function check(of: {
    readonly checker: Checker;
    readonly file: string;
    readonly signal: AbortSignal;
  }): Promise<readonly Diagnostic[] | undefined> {
    const { checker, file, signal } = of;
    if (tooSlow.has(checker)) return undefined;
    if (checker.isPerFile && !(await io.files.stat(file).catch(() => undefined))) return [];
    const { stdout, stderr, isLate, failure } = await io.runCommand({
      command: checker.isPerFile ? `${checker.command} -- ${quoted(file)}` : checker.command,
      cwd,
      env: childEnvironment(io.env),
      input: '',
      timeout: seconds * 1000,
      signal,
    });
    if (isLate && !signal.aborted) {
      tooSlow.add(checker);
      onNotice(
        `${checker.name} took longer than ${seconds} s, so it is not used again in this run (setting diagnostics.seconds).`,
      );
    }
    if (isLate || failure !== undefined) return undefined;
    return checker.read(`${stdout}\n${stderr}`).map((one) => ({ ...one, file: resolve(cwd, one.file) }));
  }

  async function newErrors(of: {
    readonly checker: Checker;
    readonly file: string;
    readonly signal: AbortSignal;
  }): Promise<readonly Diagnostic[]> {
    const now = await check(of);
    if (!now) return [];
    const left = new Map(known.get(keyOf(of)));
    known.set(keyOf(of), counted(now));
    return now.filter((one) => {
      const before = left.get(identity(one)) ?? 0;
      left.set(identity(one), before - 1);
      return before <= 0;
    });
  }
}

function keyOf({ checker, file }: { readonly checker: Checker; readonly file: string }): string {
  return checker.isPerFile ? `${checker.name} ${file}` : checker.name;
}

/** Lines move with every edit, so they do not count. */
function identity({ file, text }: Diagnostic): string {
  return `${file}\n${text}`;
}

function counted(errors: readonly Diagnostic[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of errors) counts.set(identity(one), (counts.get(identity(one)) ?? 0) + 1);
  return counts;
}

/** The errors of the changed file first. */
function report(of: {
  readonly errors: readonly Diagnostic[];
  readonly file: string;
  readonly cwd: string;
}): string | undefined {
  const { errors, file, cwd } = of;
  if (errors.length === 0) return undefined;
  const sorted = [...errors.filter((one) => one.file === file), ...errors.filter((one) => one.file !== file)];
  const lines = sorted
    .slice(0, mostErrors)
    .map((one) => `- ${relative(cwd, one.file)}:${one.line} ${clip({ text: one.text, length: longestText })}`);
  const rest = sorted.length - lines.length;
  return ['New errors after this change:', ...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n');
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
