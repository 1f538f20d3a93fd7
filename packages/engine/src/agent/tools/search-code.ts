import { resolve } from 'node:path';
import { isSecretFile } from '../permissions/secret-files.ts';
import { visible } from '../plain-text.ts';
import type { Tool } from '../tool.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { defineTool, toolText } from './define.ts';

/** A matching code location. */
export interface FoundCode {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly reasons: readonly string[];
}

/** Searches the code of the workspace; `@longhaul/workspace` provides one. */
export interface SearchCode {
  search(of: {
    readonly query: string;
    readonly limit: number;
    /** Token budget of all results together. */
    readonly budget: number;
    /** Files that may be searched. */
    readonly accept: (path: string) => boolean;
    readonly signal: AbortSignal;
  }): Promise<readonly FoundCode[]>;
  close(): Promise<void>;
}

const defaultLimit = 10;
const defaultBudget = 4_000;
const longestLine = 400;

/** Finds code by meaning and words; `grep` finds exact text. */
export function searchCodeTool(of: {
  readonly workspace: Workspace;
  readonly searchCode: SearchCode;
  readonly isDenied: (path: string) => boolean;
}): Tool {
  const { workspace, searchCode, isDenied } = of;
  return defineTool<{ readonly query: string; readonly limit: number }>({
    name: 'search_code',
    description: `Finds the code that a question is about, best match first, with line numbers. Matches words, identifiers and file names; for exact text use grep. Returns ${defaultLimit} locations by default. Files ignored by .gitignore and files with secrets are skipped.`,
    properties: {
      query: { type: 'string', description: 'What to find, in words or identifiers.' },
      limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Maximum number of locations.' },
    },
    required: ['query'],
    target: (args) => ({
      query: args.needText('query'),
      limit: args.whole({ name: 'limit', most: 50 }) ?? defaultLimit,
    }),
    access: () => ({ kind: 'read', paths: [workspace.root], isOutside: false }),
    run: async ({ target: { query, limit }, signal }) => {
      const accept = (path: string) => {
        const absolute = resolve(workspace.root, path);
        return !isDenied(absolute) && !isSecretFile(absolute);
      };
      const found = await searchCode.search({ query, limit, budget: defaultBudget, accept, signal });
      if (found.length === 0) return toolText('No matches.');
      return toolText(found.map(shown).join('\n\n'));
    },
    close: () => searchCode.close(),
  });
}

function shown({ path, startLine, endLine, text, reasons }: FoundCode): string {
  const why = reasons.length > 0 ? ` (${visible(reasons.join('; '))})` : '';
  const lines = text.split('\n').map((line, index) => `${startLine + index}\t${visible(line.slice(0, longestLine))}`);
  return [`${visible(path)}:${startLine}-${endLine}${why}`, ...lines].join('\n');
}
