import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
const budgets = [23_000, 64_000];

interface ProbeFile {
  readonly sessions: readonly {
    readonly session: string;
    readonly file: string;
    readonly format: string;
    readonly cut_entry_70pct: number;
    readonly probes: readonly Probe[];
  }[];
}

/** Asks the probes of a folder's `probes.json` of what would be sent at each session's cut. */
export async function fidelity({
  folder,
  isVerbose,
  isJson,
}: {
  readonly folder: string;
  readonly isVerbose: boolean;
  readonly isJson: boolean;
}): Promise<string> {
  const { count } = await createTokenizer('o200k_base');
  const { sessions } = JSON.parse(readFileSync(join(folder, 'probes.json'), 'utf8')) as ProbeFile;
  const measured: SessionFidelity[] = [];
  for (const { session, file, format, cut_entry_70pct: cut, probes } of sessions) {
    const history = await cutHistory({ path: join(folder, file), cut });
    const searched = await searchesFor({ session: history.session, probes, count });
    const at: Fidelity[] = [];
    for (const budget of budgets) at.push(await measure({ history, probes, searched, budget, count }));
    measured.push({ session, format, at });
  }
  return isJson ? JSON.stringify(measured, undefined, 2) : report({ measured, isVerbose });
}
