import type { SessionId } from '../../store.ts';

/** What an examination found. `sound` means: everything acknowledged can be read back as it was. */
export interface DoctorReport {
  readonly sound: boolean;
  readonly sessions: readonly SessionReport[];
  /** Of the catalog and the index, which can be rebuilt, and of the disk. */
  readonly problems: readonly DoctorProblem[];
  /** Harmless remains of processes that were killed. Swept by a fix. */
  readonly leftovers: readonly string[];
}

export interface SessionReport {
  readonly session: SessionId;
  readonly sound: boolean;
  readonly entries: number;
  readonly problems: readonly DoctorProblem[];
  /** After a fix: where the damaged original lies now, and how many entries the repaired session has. */
  readonly repaired?: { readonly setAside: string; readonly entries: number };
}

export interface DoctorProblem {
  /** Stable, kebab-case. */
  readonly kind: string;
  /** What it concerns: `@12`, `head`, a file. */
  readonly where: string;
  readonly what: string;
  /** What to do, where `--fix` is not the answer. */
  readonly hint?: string;
}
