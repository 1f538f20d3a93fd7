import type { ToolCallPart } from 'longhaul/message';
import type { Share } from '../fidelity/measure.ts';
import { valuesIn } from '../fidelity/values.ts';
import { editOf } from './edits.ts';

/** What the next actions need, and how much of it is in a context: a proxy for whether an agent can go on from it. */
export interface Continuity {
  /** Paths, ids and numbers that the next calls are given and that were said before the cut. */
  readonly values: Share;
  /** Lines that the next edits look for in their files and that were seen before the cut. */
  readonly anchors: Share;
  /** Lines that the last edits before the cut put into their files. */
  readonly edits: Share;
}

/** So many calls after the cut, and so many edits before it. */
const nextCalls = 20;
const lastEdits = 5;

export function continuityOf({
  earlier,
  later,
  whole,
  sent,
}: {
  /** Calls before the cut, oldest first, and those after it. */
  readonly earlier: readonly ToolCallPart[];
  readonly later: readonly ToolCallPart[];
  /** Everything that was said before the cut. */
  readonly whole: string;
  readonly sent: string;
}): Continuity {
  const [known, context] = [unescaped(whole), unescaped(sent)];
  const next = later.slice(0, nextCalls);
  const values = new Set(next.flatMap((call) => valuesIn(call.arguments).map(({ text }) => text)));
  const anchors = new Set(next.flatMap((call) => editOf(call)?.before ?? []));
  const written = new Set(
    earlier
      .flatMap((call) => editOf(call) ?? [])
      .slice(-lastEdits)
      .flatMap(({ after }) => after),
  );
  const shareOf = (wanted: ReadonlySet<string>): Share => {
    const of = [...wanted].filter((one) => known.includes(one));
    return { found: of.filter((one) => context.includes(one)).length, of: of.length };
  };
  return { values: shareOf(values), anchors: shareOf(anchors), edits: shareOf(written) };
}

/** Without the escapes of JSON: arguments of calls are JSON, and what they say is looked for as it was meant. */
function unescaped(text: string): string {
  return text.replace(/\\(n|t|r|"|\\)/g, (_, sign: string) => {
    return sign === 'n' || sign === 'r' ? '\n' : sign === 't' ? '\t' : sign;
  });
}
