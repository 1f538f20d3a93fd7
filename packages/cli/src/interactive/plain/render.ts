import { number } from '../../text/number.ts';
import { onTerminal } from '../../text/on-terminal.ts';
import { columns } from '../../text/table.ts';
import type { CommandResult } from '../app/result.ts';
import type { InteractiveStatus, TranscriptItem } from '../app/view.ts';

/** Lines of output that line mode shows of a failed call. */
const shownLines = 6;

/**
 * An item of the conversation as lines, as far as line mode shows it: nothing for reasoning and for text that was streamed.
 *
 * @example
 * itemLines({ item, width: 80 }); // ['> bash: npm test']
 */
export function itemLines(item: TranscriptItem): string[] {
  switch (item.kind) {
    case 'user':
      return [`You: ${item.text}`, ...item.attachments.map((name) => `  (attached: ${name})`)];
    case 'assistant':
      return [item.text];
    case 'thinking':
      return [];
    case 'tool':
      return [`> ${item.summary}`, ...(item.state === 'failed' ? failureLines(item.output) : [])];
    case 'shell':
      return [`! ${item.command}`, ...(item.exit === undefined ? [] : [item.output, `(exit ${item.exit})`])];
    case 'notice':
      return [`* ${item.text}`];
    case 'compaction': {
      const after = item.tokensAfter === undefined ? '' : ` to ${number(item.tokensAfter)}`;
      const left = item.left === '' ? '' : ` No longer sent: ${item.left}.`;
      return [`* Compacted from ${number(item.tokensBefore)}${after} tokens.${left} /undo reverts it.`];
    }
  }
}

export function failureLines(output: string): string[] {
  const lines = output.trim().split('\n');
  const more = lines.length - shownLines;
  return [
    ...lines.slice(0, shownLines).map((line) => `  | ${line}`),
    ...(more > 0 ? [`  | … ${number(more)} more lines`] : []),
  ];
}

/**
 * The status in one line.
 *
 * @example
 * statusLine(app.view.status); // 'anthropic/claude-sonnet-5-5, 12 % of 200,000 tokens, $0.02, mode ask'
 */
export function statusLine({ model, context, cache, costUsd, mode, branch, job }: InteractiveStatus): string {
  const percent = (part: number, whole: number) => `${Math.round((100 * part) / Math.max(1, whole))} %`;
  const parts = [
    model,
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    ...(context ? [`context ${percent(context.used, context.window)} of ${number(context.window)} tokens`] : []),
    ...(cache && cache.prompt > 0 ? [`cache ${percent(cache.read, cache.prompt)}`] : []),
    ...(costUsd === undefined ? [] : [`$${costUsd.toFixed(costUsd < 0.1 ? 3 : 2)}`]),
    `mode ${mode}`,
    ...(job?.state === 'running' ? ['a summary is being made'] : job?.state === 'ready' ? ['a summary is ready'] : []),
  ];
  return parts.join(', ');
}

/** The lines of a result that asks nothing. */
export function resultLines(result: CommandResult): string[] {
  switch (result.kind) {
    case 'text':
      return [
        ...(result.title === undefined ? [] : [`${result.title}`, '']),
        ...onTerminal(result.text).trimEnd().split('\n'),
      ];
    case 'table':
      return [
        ...(result.title === undefined ? [] : [result.title]),
        ...(result.rows.length === 0
          ? [result.empty]
          : columns({
              rows: [result.columns, ...result.rows].map((row) => row.map((cell) => onTerminal(cell))),
              indent: '  ',
            })),
      ];
    case 'map': {
      const whole = Math.max(1, result.window);
      const share = (tokens: number) => `${((100 * tokens) / whole).toFixed(1)} %`;
      return [
        result.title,
        ...columns({
          rows: result.segments.map(({ label, tokens, messages }) => [
            label,
            number(tokens),
            share(tokens),
            `${number(messages)} messages`,
          ]),
          indent: '  ',
        }),
        `  used ${number(result.used)} of ${number(result.window)}, at most ${number(result.bound)}; compaction from ${number(result.threshold)}; ${number(result.reserve)} kept for the answer`,
        ...(result.goesFirst.length === 0
          ? []
          : ['  A compaction would replace first:', ...result.goesFirst.map((line) => `    ${line}`)]),
      ];
    }
    case 'tree':
      return [
        result.title,
        ...result.nodes.map(({ id, depth, handle, who, text, label, isOnPath }) => {
          const marks = [label === undefined ? '' : `[${label}]`, id === result.current ? '<- here' : ''];
          return `${'  '.repeat(depth)}${isOnPath ? '*' : ' '} ${handle} ${who}  ${text} ${marks.join(' ')}`.trimEnd();
        }),
      ];
    default:
      return [];
  }
}
