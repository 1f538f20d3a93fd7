import { isAbsolute, join } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import { lexLiteral } from '../../shell/index.ts';
import { globPattern, type PathPattern } from '../glob.ts';

/**
 * A rule, as a person writes it:
 *
 * ```
 * rule    = tool | tool "(" pattern ")"
 * tool    = "bash" | "read" | "write" | "fetch" | the name of any tool
 *         | "mcp__" server | "mcp__" server "__" name | the same with "*" at the end
 * pattern = words | words ":*"            of bash: exactly this command, or whatever begins with these words
 *         | glob                          of tools with paths: from the workspace, from "/", or from "~/"
 *         | host | "*." host              of fetch: this host, or it and everything below it
 *         | "#" fingerprint               of MCP tools: only as long as the tool is what was approved
 * ```
 *
 * `read` means every tool that only looks at files (read, ls, grep, find, search_code), `write` every tool that changes one (write,
 * edit).
 */
export interface PermissionRule {
  /** The original text. */
  readonly text: string;
  readonly tool: string;
  /** Absent if the rule covers all calls of the tool. */
  readonly command?: { readonly words: readonly string[]; readonly isPrefix: boolean; readonly text: string };
  readonly paths?: readonly PathPattern[];
  readonly host?: { readonly name: string; readonly isBelow: boolean };
  readonly fingerprint?: string;
}

const form = /^([A-Za-z_*][\w.:-]*\*?)(?:\(([\s\S]*)\))?$/;

/** Only names of MCP tools may end with a wildcard. */
const wildcard = /^mcp__[\w.:-]*\*$/;

const pathTools = new Set(['read', 'write', 'edit', 'ls', 'grep', 'find', 'search_code']);

/**
 * Parses a rule.
 *
 * @example
 * parseRule({ text: 'bash(npm test:*)', cwd: '/p', home: '/home/me' }).command; // { words: ['npm', 'test'], isPrefix: true }
 */
export function parseRule({
  text,
  cwd,
  home,
  real = (path) => path,
}: {
  readonly text: string;
  readonly cwd: string;
  readonly home: string;
  /** Resolves the real folder of a pattern: calls use real paths. */
  readonly real?: (path: string) => string;
}): PermissionRule {
  const [, written, pattern] = form.exec(text.trim()) ?? [];
  // Tool names are case-insensitive: a rule that denies `Bash` denies `bash`.
  const tool = written?.toLowerCase();
  if (tool === undefined || (tool.endsWith('*') && !wildcard.test(tool)))
    throw badRule({ text, why: 'is neither TOOL nor TOOL(PATTERN)' });
  if (pattern === undefined) return { text, tool };
  if (pattern.trim() === '') throw badRule({ text, why: 'has empty parentheses; omit them to match all calls' });
  if (tool === 'bash') return { text, tool, command: commandOf({ text, pattern: pattern.trim() }) };
  if (pathTools.has(tool)) return { text, tool, paths: pathsOf({ pattern: pattern.trim(), cwd, home, real }) };
  if (tool === 'fetch') return { text, tool, host: hostOf({ text, pattern: pattern.trim() }) };
  if (tool.startsWith('mcp__')) return { text, tool, fingerprint: fingerprintOf({ text, pattern: pattern.trim() }) };
  throw badRule({ text, why: `has a pattern, but ${tool} takes none; write ${tool} alone` });
}

/** Claude Code writes `domain:example.com`. */
function hostOf({ text, pattern }: { readonly text: string; readonly pattern: string }) {
  const [, below, name] = /^(?:domain:)?(\*\.)?([\w.:[\]-]{1,255})$/.exec(pattern.toLowerCase()) ?? [];
  if (name === undefined) throw badRule({ text, why: 'needs a host, such as example.com or *.example.com' });
  return { name, isBelow: below !== undefined };
}

function fingerprintOf({ text, pattern }: { readonly text: string; readonly pattern: string }): string {
  const [, digits] = /^#([0-9a-f]{8,64})$/i.exec(pattern) ?? [];
  if (digits === undefined)
    throw badRule({ text, why: 'has a pattern, but MCP tools take none; write the tool alone' });
  return digits.toLowerCase();
}

function commandOf({
  text,
  pattern,
}: {
  readonly text: string;
  readonly pattern: string;
}): NonNullable<PermissionRule['command']> {
  const isPrefix = pattern.endsWith(':*');
  const line = isPrefix ? pattern.slice(0, -2) : pattern;
  if (line.trim() === '') throw badRule({ text, why: 'names no command' });
  const words = wordsOf(line);
  if (words !== undefined) return { words, isPrefix, text: line.trim() };
  if (/[;&|<>\n]/.test(line)) throw badRule({ text, why: 'names more than one command; write a rule for each' });
  throw badRule({ text, why: 'has a variable or a wildcard in it; only :* at the end matches anything' });
}

/** The literal words of a command. A rule is not executed, so characters that only some shells expand are allowed. */
function wordsOf(line: string): string[] | undefined {
  const lexed = lexLiteral(line);
  if (lexed.isLiteral) {
    const [command, ...more] = lexed.commands;
    const isOne = more.length === 0 && command?.redirects.length === 0 && !/[;]\s*$/.test(line);
    return isOne ? command.words.map((word) => word.text) : undefined;
  }
  return /^[\w@%+:,./=~^#! \t-]+$/.test(line) ? line.trim().split(/[ \t]+/) : undefined;
}

function pathsOf(of: {
  readonly pattern: string;
  readonly cwd: string;
  readonly home: string;
  readonly real: (path: string) => string;
}): PathPattern[] {
  const { pattern, cwd, home, real } = of;
  const whole = /^~(?=$|\/)/.test(pattern) ? join(home, pattern.slice(1)) : pattern;
  const absolute = isAbsolute(whole) ? whole : join(cwd, whole.replace(/^\.\//, ''));
  // The folder before the first wildcard may be a link.
  const fixed = /^(?:[^*?[{\\/]*\/)*/.exec(absolute)?.[0] ?? '/';
  const rest = absolute.slice(fixed.length);
  const folder = fixed.length > 1 ? fixed.slice(0, -1) : fixed;
  const globs = new Set([absolute, rest === '' ? real(folder) : join(escaped(real(folder)), rest)]);
  return [...globs].map((glob) => globPattern({ glob }));
}

function escaped(path: string): string {
  return path.replace(/[*?[\]{}\\]/g, '\\$&');
}

function badRule({ text, why }: { readonly text: string; readonly why: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-rule',
    message: `The rule ${JSON.stringify(text)} ${why}.`,
    hint: 'Write bash(npm test:*), write(src/**), read(~/notes/**), fetch(example.com) or mcp__SERVER__TOOL.',
  });
}
