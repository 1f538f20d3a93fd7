import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { shortId } from '../../session/short-id.ts';
import { clip } from '../../text/clip.ts';
import type { ArgumentCandidate } from './command.ts';
import type { Interactive } from './interactive.ts';

/** A text that may replace a part of the input. */
export interface CompletionItem {
  /** What to insert. */
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

/** What can be typed at the cursor: `items` replace the text from `from` to `to`. */
export interface Completion {
  readonly from: number;
  readonly to: number;
  readonly items: readonly CompletionItem[];
}

/** Files of a workspace that are offered; more are left to the agent's own search. */
const mostFiles = 50_000;

/** Items of a list. */
const mostItems = 50;

/** A file list is used so long. Milliseconds. */
const listAge = 10_000;

/**
 * What can be completed at the cursor: slash commands and their arguments, `@file`, `@session:NAME` and resources of MCP
 * servers. `undefined` if there is nothing to complete.
 *
 * @example
 * const completion = await new Completer(app).complete({ text: 'See @src/ind', cursor: 12 });
 */
export class Completer {
  readonly #app: Interactive;
  #files: { readonly at: number; readonly list: Promise<readonly string[]> } | undefined;

  constructor(app: Interactive) {
    this.#app = app;
  }

  async complete({
    text,
    cursor,
  }: {
    readonly text: string;
    readonly cursor: number;
  }): Promise<Completion | undefined> {
    const before = text.slice(0, cursor);
    const command = /^\/([\p{L}\p{N}_.:?-]*)$/u.exec(before);
    if (command) return { from: 0, to: cursor, items: this.#commands(command[1] ?? '') };
    const argument = /^\/([\p{L}\p{N}_.:?-]+)\s+(\S*)$/u.exec(before);
    if (argument) return await this.#arguments({ name: argument[1] ?? '', typed: argument[2] ?? '', cursor });
    const mention = /(?<![^\s([{,;])@("?)([^\s"@]*)$/u.exec(before);
    if (!mention) return undefined;
    const typed = mention[2] ?? '';
    const from = cursor - (mention[0]?.length ?? 0);
    return { from, to: cursor, items: await this.#mentions(typed) };
  }

  #commands(typed: string): readonly CompletionItem[] {
    return ranked({
      typed,
      candidates: this.#app.commands.flatMap(({ name, aliases = [], help, hint }) => [
        {
          key: name,
          item: { value: `/${name} `, label: `/${name}${hint === undefined ? '' : ` ${hint}`}`, detail: help },
        },
        ...(typed === ''
          ? []
          : aliases.map((alias) => ({ key: alias, item: { value: `/${alias} `, label: `/${alias}`, detail: help } }))),
      ]),
    });
  }

  async #arguments(of: {
    readonly name: string;
    readonly typed: string;
    readonly cursor: number;
  }): Promise<Completion | undefined> {
    const { name, typed, cursor } = of;
    const command = this.#app.commands.find((each) => each.name === name || each.aliases?.includes(name));
    if (!command?.complete) return undefined;
    const signal = new AbortController().signal;
    const candidates: readonly ArgumentCandidate[] = await command.complete({ app: this.#app, text: typed, signal });
    const items = ranked({
      typed,
      candidates: candidates.map(({ value, detail }) => ({
        key: value,
        item: { value, label: value, ...(detail !== undefined && { detail }) },
      })),
    });
    return { from: cursor - typed.length, to: cursor, items };
  }

  async #mentions(typed: string): Promise<readonly CompletionItem[]> {
    if (typed.startsWith('session:')) return await this.#sessions(typed.slice('session:'.length));
    const resources = (await this.#app.opened.mcp?.resources().catch(() => [])) ?? [];
    const files = await this.#fileList();
    const found = rankedPaths({ typed, paths: files, limit: mostItems });
    return [
      ...('session:'.startsWith(typed) ? [{ value: '@session:', label: '@session:', detail: 'another session' }] : []),
      ...found.map((path) => ({ value: mentionOf(path), label: path })),
      ...ranked({
        typed,
        candidates: resources.map(({ mention, name }) => ({
          key: mention,
          item: { value: `@${mention} `, label: `@${mention}`, detail: name },
        })),
      }),
    ].slice(0, mostItems);
  }

  async #sessions(typed: string): Promise<readonly CompletionItem[]> {
    const sessions = await this.#app.setup.store.list({ sort: 'updated', limit: 500 });
    return ranked({
      typed,
      candidates: sessions.flatMap(({ header, name, title = '' }) => {
        if (header.owner !== undefined || header.id === this.#app.session.id) return [];
        const short = shortId({ id: header.id });
        const value = name !== undefined && /^[\w.-]+$/.test(name) ? name : short;
        const detail = this.#app.session.mask(clip({ text: name ?? title, length: 80 }));
        return [
          { key: `${value} ${title}`, item: { value: `@session:${value} `, label: `@session:${value}`, detail } },
        ];
      }),
    });
  }

  #fileList(): Promise<readonly string[]> {
    const now = this.#app.setup.io.now();
    if (this.#files && now - this.#files.at < listAge) return this.#files.list;
    const list = listFiles({ cwd: this.#app.setup.io.cwd }).catch(() => []);
    this.#files = { at: now, list };
    return list;
  }
}

function mentionOf(path: string): string {
  return /[\s"]/.test(path) ? `@"${path.replaceAll('"', '')}" ` : `@${path} `;
}

/** The files of a folder that .gitignore does not exclude, relative; bounded. */
async function listFiles({ cwd }: { readonly cwd: string }): Promise<readonly string[]> {
  const { rgPath } = await import('@vscode/ripgrep');
  const child = spawn(rgPath, ['--files', '--hidden', '--glob', '!.git', '--no-messages', '--no-config'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const paths: string[] = [];
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const read = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (paths.push(line) >= mostFiles) break;
    }
    child.kill();
    return paths;
  })();
  return await Promise.race([read, failed]);
}

/** The candidates that match, best first. */
function ranked({
  typed,
  candidates,
}: {
  readonly typed: string;
  readonly candidates: readonly { readonly key: string; readonly item: CompletionItem }[];
}): readonly CompletionItem[] {
  return candidates
    .flatMap(({ key, item }, index) => {
      // Without a letter, candidates stay in their order: commands as in /help.
      const score = typed === '' ? 0 : fuzzyScore({ typed, text: key });
      return score === undefined ? [] : [{ item, score, index }];
    })
    .toSorted((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, mostItems)
    .map(({ item }) => item);
}

/**
 * The paths that match, best first: only the best are kept while all are looked at once.
 *
 * @example
 * rankedPaths({ typed: 'vst', paths: ['src/view-state.ts', 'README.md'], limit: 10 }); // ['src/view-state.ts']
 */
function rankedPaths({
  typed,
  paths,
  limit,
}: {
  readonly typed: string;
  readonly paths: readonly string[];
  readonly limit: number;
}): readonly string[] {
  const best: { readonly path: string; readonly score: number }[] = [];
  for (const path of paths) {
    const score = fuzzyScore({ typed, text: path });
    if (score === undefined) continue;
    const last = best.at(-1);
    if (best.length >= limit && last && last.score >= score) continue;
    const at = best.findIndex((each) => each.score < score);
    best.splice(at < 0 ? best.length : at, 0, { path, score });
    if (best.length > limit) best.pop();
  }
  return best.map(({ path }) => path);
}

/**
 * How well the letters of a word occur in a text, in order; `undefined` if they do not. Letters that follow each other,
 * begin a word or are in the last part of a path count more; short texts are better than long ones.
 */
function fuzzyScore({ typed, text }: { readonly typed: string; readonly text: string }): number | undefined {
  if (typed === '') return -text.length;
  const [word, lower] = [typed.toLowerCase(), text.toLowerCase()];
  const name = lower.lastIndexOf('/') + 1;
  const whole = lower.indexOf(word, name);
  if (whole >= 0) return 2_000 - (whole - name) - text.length / 10 + (whole === name ? 500 : 0);
  const inPath = lower.indexOf(word);
  if (inPath >= 0) return 1_500 - text.length / 10;
  let score = 0;
  let at = -1;
  for (const letter of word) {
    const next = lower.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    const isStart = next === 0 || /[\s/._-]/.test(lower[next - 1] ?? '') || isCapital(text, next);
    score += (next === at + 1 ? 8 : 0) + (isStart ? 10 : 0) + (next >= name ? 3 : 0) - Math.min(5, next - at - 1);
    at = next;
  }
  return score - text.length / 10;
}

function isCapital(text: string, at: number): boolean {
  const letter = text[at] ?? '';
  return letter !== letter.toLowerCase();
}
