/** A command line without what is run inside of its words. */
export interface Unnested {
  /** With `$_` for each command that stood in brackets or backticks, and without here-documents. */
  readonly line: string;
  /** What those commands are, and the texts that are given to programs. */
  readonly inner: readonly string[];
  readonly documents: readonly string[];
  /** Why nobody can tell what it does. */
  readonly unclear?: string;
}

const ending = /<<(-?)[ \t]*(?:(['"])([^'"\n$`\\]+)\2|([\w.-]+))(?=[\s;&|<>()]|$)/y;
const copy = /[<>]&(?:\d+-?|-)(?=[\s;&|<>()]|$)/y;

/**
 * Takes apart what a shell runs within words: `$(…)`, backticks, `<(…)`, also inside of quotes, where the plain reader
 * does not look. It errs on one side only: what it does not understand for sure it calls unclear.
 */
export function unnest(line: string): Unnested {
  const inner: string[] = [];
  const documents: string[] = [];
  const waiting: { readonly end: string; readonly isLiteral: boolean; readonly isIndented: boolean }[] = [];
  let [out, at] = ['', 0];
  let unclear: string | undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: shells and people see them differently.
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) unclear = 'it has control characters in it';
  while (at < line.length && unclear === undefined) at = step({ isQuoted: false });
  if (waiting.length > 0) unclear ??= 'a here-document has no end';
  return { line: out, inner, documents, ...(unclear !== undefined && { unclear }) };

  function step({ isQuoted }: { readonly isQuoted: boolean }): number {
    const [char = '', next = ''] = [line[at], line[at + 1]];
    if (char === '\\') return pass(2);
    if (char === '$' && /[$?!#@*\d-]/.test(next)) return variable();
    if (char === '$' && next === '(') return nested({ from: at + 2 });
    if (char === '`') return backticks();
    if (char === '$' && next === '{') return braces();
    if (isQuoted) return pass(1);
    if (char === '$' && (next === "'" || next === '"')) return lost('it has a quotation with $ before it');
    if (char === "'") return literal();
    if (char === '"') return quotation();
    if ((char === '<' || char === '>') && next === '(') return nested({ from: at + 2 });
    if (char === '#' && (out === '' || ' \t\n;&|()'.includes(out.at(-1) ?? ''))) return comment();
    if ((char === '<' || char === '>') && next === '&' && !isCopy())
      return lost('it sends its output with >& to a file');
    if (char === '<' && next === '<' && line[at + 2] !== '<') return announce();
    if (char === '<' && next === '<') return pass(3);
    if (char === '\n' && waiting.length > 0) return documentsFrom(at + 1);
    return pass(1);
  }

  function pass(length: number): number {
    out += line.slice(at, at + length);
    return at + length;
  }

  /** `$$(…` is a number and a bracket, not a command. */
  function variable(): number {
    out += '$_';
    return at + 2;
  }

  function lost(why: string): number {
    unclear ??= why;
    return line.length;
  }

  function comment(): number {
    const end = line.indexOf('\n', at);
    return end < 0 ? line.length : end;
  }

  function literal(): number {
    const end = line.indexOf("'", at + 1);
    return end < 0 ? lost('a quotation has no end') : pass(end + 1 - at);
  }

  function quotation(): number {
    at = pass(1);
    while (at < line.length && line[at] !== '"') at = step({ isQuoted: true });
    return at >= line.length ? lost('a quotation has no end') : pass(1);
  }

  /** `${x:-$(rm)}`: what is run in there is found, the rest is a variable. */
  function braces(): number {
    at += 2;
    // Newer shells run what stands behind a blank.
    if (!/[\w!#@*?$-]/.test(line[at] ?? '')) return lost('it has something other than a variable in ${');
    for (let depth = 1; at < line.length; ) {
      const char = line[at];
      if (char === '}') depth -= 1;
      if (depth === 0) {
        out += '$_';
        return at + 1;
      }
      if (/['"<>;&|()\n]/.test(char ?? '')) return lost('it has signs of a command inside of a variable');
      const before = out;
      at = step({ isQuoted: true });
      out = before;
    }
    return lost('a bracket has no end');
  }

  function backticks(): number {
    const end = line.indexOf('`', at + 1);
    if (end < 0) return lost('a backtick has no partner');
    const text = line.slice(at + 1, end);
    if (text.includes('\\')) return lost('it has escapes between backticks');
    inner.push(text);
    out += '$_';
    return end + 1;
  }

  /** The end of a command in brackets: found by reading it as a command line. */
  function nested({ from }: { readonly from: number }): number {
    const end = closing({ line, from });
    if (end === undefined) return lost('a bracket has no end');
    inner.push(line.slice(from, end));
    out += '$_';
    return end + 1;
  }

  /** `2>&1`: a copy of another stream. */
  function isCopy(): boolean {
    copy.lastIndex = at;
    return copy.test(line);
  }

  function announce(): number {
    ending.lastIndex = at;
    const [whole = '', dash = '', quote = '', word = '', bare = ''] = ending.exec(line) ?? [];
    if (whole === '') return lost('it has a here-document with an end that is not plain');
    waiting.push({ end: word || bare, isLiteral: quote !== '', isIndented: dash === '-' });
    out += '</dev/stdin';
    return at + whole.length;
  }

  function documentsFrom(start: number): number {
    let from = start;
    for (const { end, isLiteral, isIndented } of waiting.splice(0)) {
      const body: string[] = [];
      for (;;) {
        if (from > line.length) return lost('a here-document has no end');
        const stop = line.indexOf('\n', from);
        const text = line.slice(from, stop < 0 ? line.length : stop);
        from = stop < 0 ? line.length + 1 : stop + 1;
        if ((isIndented ? text.replace(/^\t+/, '') : text) === end) break;
        body.push(text);
      }
      const all = body.join('\n');
      if (!isLiteral && /[`]|\$\(/.test(all)) return lost('a here-document has commands in it');
      documents.push(all);
    }
    out += '\n';
    return Math.min(from, line.length);
  }
}

/** Where the bracket that is open at `from` is closed; nothing where that cannot be told. */
function closing({ line, from }: { readonly line: string; readonly from: number }): number | undefined {
  let [at, depth] = [from, 1];
  while (at < line.length) {
    const char = line[at];
    if (char === '\\') at += 1;
    else if (char === "'") {
      at = line.indexOf("'", at + 1);
      if (at < 0) return undefined;
    } else if (char === '"') {
      const end = quoteEnd({ line, from: at + 1 });
      if (end === undefined) return undefined;
      at = end;
    } else if (char === '`' || (char === '$' && line[at + 1] === "'") || (char === '<' && line[at + 1] === '<'))
      return undefined;
    // `case x in a) …` closes a bracket that was never opened, and so may a comment.
    else if (char === '#' || line.startsWith('esac', at)) return undefined;
    else if (char === '(') depth += 1;
    else if (char === ')') {
      depth -= 1;
      if (depth === 0) return at;
    }
    at += 1;
  }
  return undefined;
}

function quoteEnd({ line, from }: { readonly line: string; readonly from: number }): number | undefined {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at;
    else if (line[at] === '`') return undefined;
    else if (line[at] === '$' && line[at + 1] === '(') {
      const end = closing({ line, from: at + 2 });
      if (end === undefined) return undefined;
      at = end;
    }
  }
  return undefined;
}
