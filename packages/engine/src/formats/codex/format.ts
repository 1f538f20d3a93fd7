import type { LinesFormat } from '../format.ts';
import { readCodex } from './header.ts';
import { isRolloutLine } from './line.ts';

/** A rollout of the Codex CLI: those of today, and the bare items of versions before 0.32. */
export const codex: LinesFormat = {
  kind: 'lines',
  name: 'codex',
  isRecord: isRolloutLine,
  // The prompt stands in the first line, which may be too long to be looked at whole.
  startsLike: /^\{\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?"type"\s*:\s*"session_meta"/,
  read: readCodex,
};
