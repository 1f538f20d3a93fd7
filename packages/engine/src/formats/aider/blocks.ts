/** Who speaks in a block of lines: a person, the program (its screen and what it ran), or the model. */
type Speaker = 'human' | 'program' | 'model';

/** What one of them says until another does. A person and the program may say several things in a row. */
export interface Speech {
  readonly speaker: Speaker;
  readonly texts: readonly string[];
}

/** A line of a chat history. */
export type Line =
  | { readonly kind: 'start'; readonly time: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'said'; readonly speaker: Speaker; readonly text: string };

/** What the beginning of a line tells. Two blanks at its end are the line break of Markdown, not text. */
export function readLine(text: string): Line {
  const [, time] = /^# aider chat started at (.+)$/.exec(text.trimEnd()) ?? [];
  if (time !== undefined) return { kind: 'start', time };
  if (text.trim() === '') return { kind: 'blank' };
  const [, mark, rest = ''] = /^(####|>)(?: (.*))?$/s.exec(text) ?? [];
  if (mark === undefined) return { kind: 'said', speaker: 'model', text };
  return { kind: 'said', speaker: mark === '>' ? 'program' : 'human', text: rest.replace(/ {2}$/, '') };
}

/**
 * Puts lines together: `take` answers what has come to its end with a line, if anything has. A blank line is part of an
 * answer; between lines of a person or the program it parts one thing said from the next.
 *
 * @example
 * const speeches = createSpeeches();
 * for (const line of lines) use(speeches.take(readLine(line)));
 * use(speeches.end());
 */
export function createSpeeches(): {
  readonly take: (line: Line) => Speech | undefined;
  readonly end: () => Speech | undefined;
} {
  let speaker: Speaker | undefined;
  let texts: string[][] = [];
  let isParted = false;
  return { take, end };

  function take(line: Line): Speech | undefined {
    if (line.kind === 'start') return end();
    if (line.kind === 'blank') {
      if (speaker === 'model') texts.at(-1)?.push('');
      isParted = true;
      return undefined;
    }
    const ended = line.speaker === speaker ? undefined : end();
    const isNew = speaker === undefined || (isParted && speaker !== 'model');
    speaker = line.speaker;
    isParted = false;
    if (isNew) texts.push([line.text]);
    else texts.at(-1)?.push(line.text);
    return ended;
  }

  function end(): Speech | undefined {
    const said = texts.map((lines) => lines.join('\n').replace(/(?<!\n)\n+$/, ''));
    const ended = speaker && { speaker, texts: said };
    speaker = undefined;
    texts = [];
    return ended;
  }
}
