import { table } from '../../../bench/tokens/measure.ts';
import type { SessionFidelity } from './index.ts';
import type { Fidelity, Share } from './measure.ts';

const columns = [
  'session',
  'all',
  'hard',
  'last N',
  'hard',
  '1 search',
  '2 searches',
  'files',
  'arguments',
  'tokens',
  'tail',
  'of',
  'ms / 10k',
];

/** One table for each budget, each session and all together. */
export function report({
  measured,
  isVerbose,
}: {
  readonly measured: readonly SessionFidelity[];
  readonly isVerbose: boolean;
}): string {
  const budgets = [...new Set(measured.flatMap(({ at }) => at.map(({ budget }) => budget)))].sort((a, b) => a - b);
  return budgets
    .map((budget) => {
      const rows = measured.flatMap(({ session, at }) =>
        at.filter((one) => one.budget === budget).map((fidelity) => ({ session, fidelity })),
      );
      const lines = rows.map(({ session, fidelity }) => row({ name: session, fidelities: [fidelity] }));
      const total = row({ name: 'all', fidelities: rows.map(({ fidelity }) => fidelity) });
      const notes = isVerbose ? rows.flatMap(({ session, fidelity }) => notesOf({ session, fidelity })) : [];
      return [`## ${budget} tokens in all`, '', table(columns, [...lines, total]), ...notes].join('\n');
    })
    .join('\n\n');
}

function row({ name, fidelities }: { readonly name: string; readonly fidelities: readonly Fidelity[] }): string[] {
  const percent = (pick: (of: Fidelity) => Share) => {
    const found = fidelities.reduce((sum, one) => sum + pick(one).found, 0);
    const of = fidelities.reduce((sum, one) => sum + pick(one).of, 0);
    return of === 0 ? '–' : `${((found / of) * 100).toFixed(fidelities.length > 1 ? 1 : 0)} %`;
  };
  const mean = (pick: (of: Fidelity) => number) =>
    fidelities.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, fidelities.length);
  return [
    name,
    percent(({ all }) => all),
    percent(({ hard }) => hard),
    percent(({ last }) => last.all),
    percent(({ last }) => last.hard),
    percent(({ recall }) => recall.one),
    percent(({ recall }) => recall.two),
    percent(({ files }) => files),
    percent(({ values }) => values),
    `${Math.round(mean(({ tokens }) => tokens))}`,
    `${Math.round(mean(({ tail }) => tail))}`,
    `${Math.round(mean(({ history }) => history))}`,
    ((mean(({ ms }) => ms) / mean(({ history }) => history)) * 10_000).toFixed(1),
  ];
}

function notesOf({ session, fidelity }: { readonly session: string; readonly fidelity: Fidelity }): string[] {
  return [
    '',
    `${session}: ${fidelity.missed.length} missed`,
    ...fidelity.missed.map((missed) => `  - ${missed}`),
    ...(fidelity.lost.length > 0 ? [`  arguments lost: ${fidelity.lost.join(', ')}`] : []),
  ];
}
