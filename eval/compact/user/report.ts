import { table } from '../../../bench/tokens/measure.ts';
import type { Share } from '../fidelity/measure.ts';
import type { UserOutcome } from './index.ts';

const columns = [
  'session',
  'facts',
  'hard',
  'imported',
  'hard',
  'log',
  'rules',
  'open ends',
  'next values',
  'next anchors',
  'last edits',
  'tokens before',
  'after',
  'ours',
  'summary',
];

/** One table for each window; sessions in which nothing was installed are listed apart and are not part of its sums. */
export function report(of: { readonly outcomes: readonly UserOutcome[]; readonly isVerbose: boolean }): string {
  return byWindow(of.outcomes)
    .map(({ window, list }) => {
      const installed = list.filter((one) => one.installed);
      const others = list.filter((one) => !one.installed);
      const apart =
        others.length === 0
          ? []
          : [
              '',
              'Nothing was installed in:',
              '',
              table(columns, [...others.map((one) => row({ name: one.session, list: [one] }))]),
              ...others.map(({ session, reason }) => `- ${session}: ${reason}`),
              '',
              table(columns, [row({ name: 'all, these included', list })]),
            ];
      const rows = [
        ...installed.map((one) => row({ name: one.session, list: [one] })),
        row({ name: 'all', list: installed }),
      ];
      const missed = of.isVerbose ? list.flatMap(({ session, missed }) => missedLines({ session, missed })) : [];
      return [
        `## As a user gets it: \`compact --window ${window}\``,
        '',
        table(columns, rows),
        ...apart,
        ...missed,
      ].join('\n');
    })
    .join('\n\n');
}

/** The rules of each authority that are in the context, by session. */
export function rulesReport(of: { readonly outcomes: readonly UserOutcome[]; readonly isVerbose: boolean }): string {
  const authorities = [...new Set(of.outcomes.flatMap(({ rules }) => Object.keys(rules.byAuthority)))].toSorted();
  return byWindow(of.outcomes)
    .map(({ window, list }) => {
      const cells = (some: readonly UserOutcome[]) =>
        authorities.map((authority) => countOf(some.flatMap(({ rules }) => rules.byAuthority[authority] ?? [])));
      const rows = [
        ...list.map((one) => [one.session, ...cells([one]), countOf([one.rules.open])]),
        ['all', ...cells(list), countOf(list.map(({ rules }) => rules.open))],
      ];
      const missed = of.isVerbose
        ? list.flatMap(({ session, rules }) =>
            missedLines({ session, missed: rules.missed.map((one) => `${one.authority}, ${one.entry}: ${one.quote}`) }),
          )
        : [];
      return [
        `## Rules in the context: \`compact --window ${window}\``,
        '',
        table(['session', ...authorities, 'open ends'], rows),
        ...missed,
      ].join('\n');
    })
    .join('\n\n');
}

function byWindow(outcomes: readonly UserOutcome[]) {
  return [...Map.groupBy(outcomes, ({ window }) => window)].map(([window, list]) => ({ window, list }));
}

function row({ name, list }: { readonly name: string; readonly list: readonly UserOutcome[] }): string[] {
  const percent = (pick: (of: UserOutcome) => Share) => {
    const { found, of } = sum(list.map(pick));
    return of === 0 ? '–' : `${((found / of) * 100).toFixed(list.length > 1 ? 1 : 0)} %`;
  };
  const mean = (pick: (of: UserOutcome) => number) =>
    `${Math.round(list.reduce((total, one) => total + pick(one), 0) / Math.max(1, list.length))}`;
  return [
    name,
    percent(({ facts }) => facts.all),
    percent(({ facts }) => facts.hard),
    percent(({ imported }) => imported.all),
    percent(({ imported }) => imported.hard),
    percent(({ log }) => log.all),
    countOf(list.flatMap(({ rules }) => Object.values(rules.byAuthority))),
    countOf(list.map(({ rules }) => rules.open)),
    percent(({ continuity }) => continuity.values),
    percent(({ continuity }) => continuity.anchors),
    percent(({ continuity }) => continuity.edits),
    mean(({ tokensBefore }) => tokensBefore),
    mean(({ tokensAfter }) => tokensAfter),
    mean(({ tokens }) => tokens),
    mean(({ summary }) => summary),
  ];
}

function countOf(shares: readonly Share[]): string {
  const { found, of } = sum(shares);
  return of === 0 ? '–' : `${found}/${of}`;
}

function sum(shares: readonly Share[]): Share {
  return shares.reduce((total, one) => ({ found: total.found + one.found, of: total.of + one.of }), {
    found: 0,
    of: 0,
  });
}

function missedLines({ session, missed }: { readonly session: string; readonly missed: readonly string[] }): string[] {
  return missed.length === 0 ? [] : ['', `${session}: ${missed.length} missed`, ...missed.map((one) => `  - ${one}`)];
}
