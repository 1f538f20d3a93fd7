import { type TokenKind, tokenKinds } from '../session/token-counter.ts';
import { bar } from '../text/bar.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import { columns } from '../text/table.ts';
import type { Sum } from './sum.ts';
import type { Counted } from './tally.ts';

const cells = 30;

/** Of a long list so many are shown; --json has all. */
const most = 12;

const names: Readonly<Record<TokenKind, string>> = {
  human: 'said by humans',
  model: 'said by models',
  thinking: 'thinking',
  toolCalls: 'tool calls',
  toolResults: 'tool results',
  engine: 'said by the client',
};

/**
 * Counts for a person: the numbers, tokens as a chart, then tools, models, compactions and files.
 *
 * @example
 * await io.stdout.write(statsLines({ counted, paint }).join('\n'));
 */
export function statsLines({
  counted,
  sessions,
  context,
  paint,
}: {
  readonly counted: Counted;
  /** How many it is the sum of, where it is one. */
  readonly sessions?: number;
  /** What the model is sent where the session stands, as `longhaul context` has it. */
  readonly context?: { readonly tokens: number; readonly bound: number; readonly window: number };
  readonly paint: Paint;
}): string[] {
  const { kinds, tools, models, compactions, files } = counted;
  const section = (title: string, rows: readonly (readonly string[])[]) => sectionLines({ title, rows, paint });
  const kindRows = Object.entries(kinds).sort(([, a], [, b]) => b - a);
  return [
    ...columns({
      rows: [
        ...(sessions === undefined ? [] : [row('sessions', sessions)]),
        row('entries', counted.entries),
        ...kindRows.map(([kind, amount]) => row(`  ${kind}`, amount)),
        row('turns', counted.turns),
        row('messages', counted.messages),
        row('tool calls', counted.toolCalls),
        row('tool results', counted.toolResults),
        ...(counted.thinking === 0 ? [] : [row('thinking', counted.thinking)]),
        ...(counted.images === 0 ? [] : [row('images', counted.images)]),
        row('tokens in all', counted.tokens),
      ],
    }),
    ...(context
      ? [
          `sent to the model now: ${number(context.tokens)} of ${number(context.window)} tokens, at most ${number(context.bound)}`,
        ]
      : []),
    ...section('tokens', chartRows(counted)),
    ...section(
      'tools',
      tools.map(({ name, calls, errors }) => [
        printable(name),
        count({ amount: calls, of: 'call' }),
        errors === 0 ? '' : paint.bad(count({ amount: errors, of: 'error' })),
      ]),
    ),
    ...section('reported by models', modelRows({ models })),
    ...(counted.dollars === null ? [] : [`  ${money(counted.dollars)} in all, at the prices of today`]),
    ...section(
      'compactions',
      compactions.map(({ handle, at, trigger, tokensBefore }) => [
        handle,
        at.slice(0, 16).replace('T', ' '),
        printable(trigger),
        `${number(tokensBefore)} tokens before`,
      ]),
    ),
    ...section(
      'files',
      files.map(({ path, reads, writes }) => [
        writes === 0 ? '' : `${number(writes)} changed`,
        reads === 0 ? '' : `${number(reads)} read`,
        printable(path),
      ]),
    ),
  ];
}

/** A session that is part of another. */
export interface Linked extends Counted {
  readonly session: string;
  /** Whose part it is. */
  readonly owner: string | null;
  /** The call that started it. */
  readonly call: string | null;
  readonly name: string | null;
}

/** The sessions of sub-agents, a line each, and the sum of all. */
export function linkedLines({
  linked,
  total,
  paint,
}: {
  readonly linked: readonly Linked[];
  readonly total: Sum;
  readonly paint: Paint;
}): string[] {
  const amounts = ({ messages, toolCalls, tokens, dollars }: Sum) => [
    count({ amount: messages, of: 'message' }),
    count({ amount: toolCalls, of: 'tool call' }),
    `${number(tokens)} tokens`,
    dollars === null ? '' : money(dollars),
  ];
  const rows = linked.map((part) => [
    part.session,
    ...amounts(part),
    printable(clip({ text: part.name ?? '', length: 40 })),
  ]);
  return [
    ...sectionLines({ title: 'sub-agents', rows, paint }),
    '',
    `${paint.strong('in all')}  ${amounts(total).join(', ').replace(/, $/, '')}`,
  ];
}

function sectionLines({
  title,
  rows,
  paint,
}: {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly paint: Paint;
}): string[] {
  if (rows.length === 0) return [];
  const more = rows.length <= most ? [] : [paint.faint(`  … ${rows.length - most} more: --json`)];
  return ['', paint.strong(title), ...columns({ rows: rows.slice(0, most), indent: '  ' }), ...more];
}

function row(name: string, amount: number): readonly [string, string] {
  return [name, number(amount).padStart(12)];
}

function chartRows({ tokensByKind, tokens }: Counted): string[][] {
  const largest = Math.max(1, ...Object.values(tokensByKind));
  return tokenKinds
    .filter((kind) => tokensByKind[kind] > 0)
    .map((kind) => [
      names[kind],
      bar({ share: tokensByKind[kind] / largest, cells }),
      number(tokensByKind[kind]).padStart(number(largest).length),
      `${((tokensByKind[kind] / tokens) * 100).toFixed(1)} %`.padStart(7),
    ]);
}

function modelRows({ models }: Pick<Counted, 'models'>): string[][] {
  return models.map(({ provider, name, calls, usage, dollars }) => [
    printable(`${provider}/${name}`),
    count({ amount: calls, of: 'call' }),
    `read ${number(usage.input)}, from its cache ${number(usage.cacheRead)}, into it ${number(usage.cacheWrite)}, written ${number(usage.output)}`,
    dollars === null ? '' : money(dollars),
  ]);
}

function money(dollars: number): string {
  return `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
}
