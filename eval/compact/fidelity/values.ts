/** What a tool was given that has to be known exactly: a wrong letter, and the call fails. */
type ValueKind = 'path' | 'id' | 'number';

export interface Value {
  readonly kind: ValueKind;
  readonly text: string;
}

/** Names joined by slashes; not the end of a tag. Addresses on the web are such paths too. */
const path = /(?<![<\w])(?:https?:\/\/|\.{1,2}\/|~\/|\/)?[\w.@+-]+(?:\/[\w.@+-]+)+/g;
/** A name with an ending that files have; `event.type` is none. */
const file =
  /(?<![\w.])[\w-]+(?:\.[\w-]+)*\.(?:c|cc|cfg|conf|cpp|cs|css|csv|env|go|h|html|ini|java|js|json|jsonl|jsx|kt|lock|log|md|mjs|mod|patch|php|png|proto|ps1|py|rb|rs|scss|sh|sql|svg|swift|toml|ts|tsx|txt|vue|xml|yaml|yml)(?![\w-])/g;
/** Letters and digits mixed, as in hashes, UUIDs and keys of trackers. */
const id = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w-])/g;
const number = /(?<![\w.,-])\d{3,}(?!\w|[.,]\d)/g;
const shortestId = 6;

/**
 * The paths, ids and numbers of three or more digits in the arguments of a call, each once.
 *
 * @example
 * valuesIn('{"path":"src/main.ts","offset":1200}'); // src/main.ts and 1200
 */
export function valuesIn(args: string): Value[] {
  const found = new Map<string, Value>();
  // What JSON escapes would be glued to the next word; what one kind has taken is not another's.
  let rest = args.replace(/\\(?:u[0-9a-f]{4}|.)/g, (written) => (written === '\\/' ? '/' : ' '));
  const take = ({ kind, pattern }: { readonly kind: ValueKind; readonly pattern: RegExp }) => {
    rest = rest.replace(pattern, (value) => {
      const text = value.replace(/[.+-]+$/, '');
      if (kind !== 'id' || text.length >= shortestId) found.set(text, { kind, text });
      return ' ';
    });
  };
  take({ kind: 'path', pattern: path });
  take({ kind: 'path', pattern: file });
  take({ kind: 'id', pattern: id });
  take({ kind: 'number', pattern: number });
  return [...found.values()];
}
