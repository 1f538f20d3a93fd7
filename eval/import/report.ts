import { table } from '../../bench/tokens/measure.ts';
import type { ComparedTexts, Found } from './compare-texts.ts';
import { differencesIn } from './differences.ts';
import type { Listed } from './listed.ts';
import type { Brought, Measured } from './measure.ts';

const columns = [
  'sessions',
  'messages',
  'tool calls',
  'tool results',
  'thinking',
  'images',
  'length / 4',
  'o200k_base',
  'human in log',
  'results in log',
  'log in file',
  'legal',
  'ms',
  'warnings',
];

/** What was measured, a row a format, or a row a session; numbers that differ from the list stand before those of the list. */
export function report({
  measured,
  isVerbose,
}: {
  readonly measured: readonly Measured[];
  readonly isVerbose: boolean;
}): string {
  const groups = Map.groupBy(measured, ({ listed }) => listed.format);
  const rows = [...groups].flatMap(([format, sessions]) => [
    rowOf({ name: format, sessions }),
    ...(isVerbose ? sessions.map((session) => rowOf({ name: `  ${session.listed.file}`, sessions: [session] })) : []),
  ]);
  const all = rowOf({ name: 'all', sessions: measured });
  return [table(['format', ...columns], [...rows, all]), ...remarks(measured)].join('\n\n');
}

function rowOf({ name, sessions }: { readonly name: string; readonly sessions: readonly Measured[] }): string[] {
  const brought = sessions.filter(isBrought);
  const failures = [...new Set(sessions.flatMap(({ failure }) => failure ?? []))];
  const imported = `${brought.length} of ${sessions.length}`;
  if (brought.length === 0) return [name, `${imported} (${failures.join(', ')})`, ...columns.slice(1).map(() => '')];
  const versus = (key: keyof Listed['counts']) => {
    const [found, listed] = [sum(brought, ({ counts }) => counts[key]), sum(brought, (one) => one.listed.counts[key])];
    return found === listed ? `${found}` : `${found} of ${listed}`;
  };
  const share = (key: keyof ComparedTexts) => shareOf(brought.map(({ texts }) => texts[key]));
  const estimated = sum(brought, ({ listed }) => listed.counts.tokens);
  const ratio = (tokens: number) => (tokens / estimated).toFixed(2);
  const sent = sum(brought, ({ further }) => further + 1) * 4;
  return [
    name,
    failures.length === 0 ? imported : `${imported} (${failures.join(', ')})`,
    ...(['messages', 'toolCalls', 'toolResults', 'thinking', 'images'] as const).map(versus),
    ratio(sum(brought, ({ counts }) => counts.tokens)),
    ratio(sum(brought, ({ tokens }) => tokens)),
    share('human'),
    share('results'),
    share('back'),
    `${sent - sum(brought, ({ refusals }) => refusals.length)}/${sent}`,
    sum(brought, ({ milliseconds }) => milliseconds).toFixed(0),
    codesOf(brought),
  ];
}

/** What does not fit into a table: why numbers differ, and what providers would refuse. */
function remarks(measured: readonly Measured[]): string[] {
  const lines = [
    ...differencesIn(measured).map(
      ({ format, what, by, because = '**unexplained**' }) =>
        `- ${format}: ${by > 0 ? '+' : '−'}${Math.abs(by)} ${what}: ${because}.`,
    ),
    ...measured
      .filter(isBrought)
      .flatMap(({ listed, refusals }) => refusals.map((reason) => `- ${listed.file} would be refused by ${reason}`)),
  ];
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function shareOf(list: readonly Found[]): string {
  return `${sum(list, ({ found }) => found)}/${sum(list, ({ sampled }) => sampled)}`;
}

function codesOf(brought: readonly Brought[]): string {
  const codes = Map.groupBy(
    brought.flatMap(({ warnings }) => warnings),
    (code) => code,
  );
  return [...codes].map(([code, { length }]) => (length === 1 ? code : `${code} ×${length}`)).join(', ');
}

function sum<T>(list: readonly T[], amount: (item: T) => number): number {
  return list.reduce((total, item) => total + amount(item), 0);
}

function isBrought(measured: Measured): measured is Measured & Brought {
  return measured.failure === undefined;
}
