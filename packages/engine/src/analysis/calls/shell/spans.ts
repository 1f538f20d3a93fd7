/** Where a quotation ends; the end of the line where it does not. */
export function closingQuote({
  line,
  from,
  quote,
  escaper,
}: {
  readonly line: string;
  readonly from: number;
  readonly quote: string;
  readonly escaper: string;
}): number {
  if (quote === "'") return orEnd({ line, at: line.indexOf(quote, from) });
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === escaper) at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

/** Behind `$name`, `${…}`, `$(…)` or a pair of backticks. */
export function expansionEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  if (line[at] === '`') {
    const end = line.indexOf('`', at + 1);
    return end < 0 ? line.length : end + 1;
  }
  const open = line[at + 1];
  const close = open === '(' ? ')' : open === '{' ? '}' : undefined;
  if (close !== undefined) return behindBrackets({ line, from: at + 1, open, close });
  let end = at + 1;
  while (/[\w?!@#]/.test(line[end] ?? '')) end += 1;
  return end;
}

function behindBrackets({
  line,
  from,
  open,
  close,
}: {
  readonly line: string;
  readonly from: number;
  readonly open: string | undefined;
  readonly close: string;
}): number {
  let depth = 0;
  for (let at = from; at < line.length; at += 1) {
    const char = line[at];
    if (char === "'" || char === '"') at = closingQuote({ line, from: at + 1, quote: char, escaper: '\\' });
    else if (char === open) depth += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return line.length;
}

export function lineEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  return orEnd({ line, at: line.indexOf('\n', at) });
}

/** Where a here-document's text ends, and where the line behind its end begins. */
export function heredocEnd({
  line,
  from,
  end,
}: {
  readonly line: string;
  readonly from: number;
  readonly end: string;
}): { readonly from: number; readonly to: number } {
  for (let at = from; at <= line.length; ) {
    const stop = lineEnd({ line, at });
    if (line.slice(at, stop).trim() === end) return { from: at, to: Math.min(stop + 1, line.length) };
    at = stop + 1;
  }
  return { from: line.length, to: line.length };
}

function orEnd({ line, at }: { readonly line: string; readonly at: number }): number {
  return at < 0 ? line.length : at;
}
