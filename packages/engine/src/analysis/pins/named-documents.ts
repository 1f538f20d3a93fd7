import { pathKey } from '../calls/paths.ts';

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
export function documentsNamedIn(text: string): string[] {
  return text
    .slice(0, longestText)
    .split('\n')
    .filter((line) => sends.test(line))
    .flatMap((line) => [...line.matchAll(document)].flatMap(([, path]) => path ?? []));
}

/** Whether a file is one of those that were named: the names are its path, or the end of it. */
export function isNamed({ path, named }: { readonly path: string; readonly named: ReadonlySet<string> }): boolean {
  if (named.size === 0) return false;
  const segments = pathKey({ path }).toLowerCase().split('/');
  return segments.some((_, index) => named.has(segments.slice(index).join('/')));
}

/** How `isNamed` looks names up. */
export function nameKey(path: string): string {
  return pathKey({ path })
    .toLowerCase()
    .replace(/^(?:\.?\/)+/, '');
}

/** A program with a subcommand or an option whose only purpose is to print instructions for agents. */
const prints =
  /^\s*(?:cd\s+[^\s;&|<>`$]+\s*&&\s*)?(?:(?:npx|bunx|uvx|pnpm|yarn|bun|npm exec|poetry run|uv run)\s+(?:-\w+\s+)*)?([\w.@/-]{1,80})(?:\s+[a-z][\w-]{0,30})?\s+(?:prime|onboard(?:ing)?|instructions?|agent-instructions|agents?-(?:help|guide|context|rules)|(?:--|help )(?:help-)?agents?|--?agent-help|llms?-(?:help|guide)|guidelines|conventions)(?:\s+--?[\w=-]{1,40}){0,4}\s*(?:2>&1)?\s*$/i;
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
export function printsInstructions(command: string): boolean {
  const [, program] = prints.exec(command) ?? [];
  return program !== undefined && !onFiles.test(program.slice(program.lastIndexOf('/') + 1));
}
