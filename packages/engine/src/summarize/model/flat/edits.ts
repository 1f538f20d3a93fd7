import { type FileChange, readCall } from '../../../analysis/index.ts';
import type { ToolCallPart } from '../../../message/index.ts';

/** Of one call; the rest is counted. */
const most = { files: 6, lines: 12, width: 160 };

/**
 * What a call changes in files, as a short diff: what stays the same around a change is left out, long lines are cut, and
 * further lines are counted. Nothing where it changes no file, or where only a shell knows what.
 *
 * @example
 * editText(part); // 'edit src/a.ts\n- const port = 80;\n+ const port = 8080;'
 */
export function editText(part: ToolCallPart): string | undefined {
  const { kind, changes } = readCall({ part });
  if (changes.length === 0 || kind === 'shell' || kind === 'python') return undefined;
  const shown = changes.slice(0, most.files).map(changeText);
  const rest = changes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`(${rest} more files)`] : [])].join('\n');
}

function changeText({ path, op, added, removed }: FileChange): string {
  if (op === 'delete') return `delete ${path}`;
  const [before, after] = [linesOf(removed), linesOf(added)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const gone = sideText({ lines: before.slice(start, before.length - end), sign: '-' });
  const come = sideText({ lines: after.slice(start, after.length - end), sign: '+' });
  return [`${op} ${path}`, ...gone, ...come].join('\n');
}

function sideText({ lines, sign }: { readonly lines: readonly string[]; readonly sign: '-' | '+' }): string[] {
  const shown = lines.slice(0, most.lines).map((line) => `${sign} ${cut(line)}`);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `${sign} (${rest} more lines)`] : shown;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function cut(line: string): string {
  return line.length <= most.width ? line : `${line.slice(0, most.width).toWellFormed()}…`;
}
