/** Longer ones are no patterns that anybody wrote. */
const longest = 1000;

/**
 * A pattern of paths as an expression: `*` and `?` stay within a folder, `**` does not, `{a,b}` and `[a-z]` choose. What
 * is meant literally can be escaped with a backslash.
 *
 * @example
 * globPattern({ glob: 'src/**' + '/*.ts' }).test('src/a/b.ts'); // true
 */
export function globPattern({
  glob,
  isCaseless = false,
}: {
  readonly glob: string;
  readonly isCaseless?: boolean;
}): RegExp {
  const text = glob.slice(0, longest).replace(/(?:\*\*\/)+/g, '**/');
  let [source, depth] = ['', 0];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (text.startsWith('**/', at) && (at === 0 || text[at - 1] === '/')) {
      source += '(?:.*/)?';
      at += 2;
    } else if (text.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else if (char === '{') {
      source += '(?:';
      depth += 1;
    } else if (char === '}' && depth > 0) {
      source += ')';
      depth -= 1;
    } else if (char === ',' && depth > 0) source += '|';
    else if (char === '[' && text.indexOf(']', at + 2) > 0) {
      const end = text.indexOf(']', at + 2);
      source += classOf(text.slice(at + 1, end));
      at = end;
    } else {
      if (char === '\\') at += 1;
      source += literal(char === '\\' ? (text[at] ?? '\\') : char);
    }
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`, isCaseless ? 'isu' : 'su');
}

function classOf(inner: string): string {
  const isNot = inner.startsWith('!') || inner.startsWith('^');
  return `[${isNot ? '^/' : ''}${(isNot ? inner.slice(1) : inner).replace(/[\\\]^[]/g, '\\$&')}]`;
}

function literal(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
