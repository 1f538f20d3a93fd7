import type { ProtectedPaths } from './protected-paths.ts';

/** A program with arguments. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

/** What both kinds of sandboxes are made of. */
export interface SandboxPlan extends ProtectedPaths {
  /** The program that makes the sandbox. */
  readonly program: string;
  readonly launch: Launch;
  readonly cwd: string;
  readonly root: string;
  readonly network: boolean;
  readonly caches: readonly string[];
  /** What commands see as `/tmp`. */
  readonly temporary: string;
  /** An empty file, shown in the place of files with secrets: a program that reads its settings must not fail. */
  readonly empty: string;
  /** Outputs of earlier commands. */
  readonly scratch: string;
}
