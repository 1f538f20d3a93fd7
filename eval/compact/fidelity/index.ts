import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExtractiveSummarizer, type Summarizer } from 'longhaul/engine';
import { createTokenizer } from 'longhaul/tokens';
import { cutHistory } from './history.ts';
import { type Fidelity, measure } from './measure.ts';
import type { Probe } from './probe.ts';
import { report } from './report.ts';
import { searchesFor } from './searches.ts';

/** What of a session is in each budget. */
export interface SessionFidelity {
  readonly session: string;
  readonly format: string;
  readonly at: readonly Fidelity[];
}

/** Tokens in all: document and verbatim end. */
export const budgets: readonly number[] = [23_000, 64_000];

/** A session with questions about it. */
export interface Probed {
  readonly session: string;
  readonly file: string;
  readonly format: string;
  readonly cut_entry_70pct: number;
  readonly probes: readonly Probe[];
}

/** The sessions of a folder that its `probes.json` asks about. */
export function probedIn(folder: string): readonly Probed[] {
  return (JSON.parse(readFileSync(join(folder, 'probes.json'), 'utf8')) as { sessions: readonly Probed[] }).sessions;
}

/** Asks the probes of a folder's `probes.json` of what would be sent at each session's cut. */
export async function fidelity({
  folder,
  isVerbose,
  isJson,
  summarizerFor = () => createExtractiveSummarizer({ worker: false }),
}: {
  readonly folder: string;
  readonly isVerbose: boolean;
  readonly isJson: boolean;
  /** The summarizer for a session and a budget. */
  readonly summarizerFor?: (of: { readonly session: string; readonly budget: number }) => Summarizer | undefined;
}): Promise<string> {
  const { count } = await createTokenizer('o200k_base');
  const measured: SessionFidelity[] = [];
  for (const { session, file, format, cut_entry_70pct: cut, probes } of probedIn(folder)) {
    const by = budgets.flatMap((budget) => {
      const summarizer = summarizerFor({ session, budget });
      return summarizer ? [{ budget, summarizer }] : [];
    });
    if (by.length === 0) continue;
    const history = await cutHistory({ path: join(folder, file), cut });
    const searched = await searchesFor({ session: history.session, probes, count });
    const at: Fidelity[] = [];
    for (const { budget, summarizer } of by) {
      at.push(await measure({ history, probes, searched, budget, summarizer, count }));
    }
    measured.push({ session, format, at });
  }
  return isJson ? JSON.stringify(measured, undefined, 2) : report({ measured, isVerbose });
}
