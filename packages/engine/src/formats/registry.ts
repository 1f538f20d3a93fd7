import { aider } from './aider/format.ts';
import { claudeCode } from './claude-code/format.ts';
import { codex } from './codex/format.ts';
import { copilot } from './copilot/format.ts';
import type { Format } from './format.ts';
import { geminiDocument, geminiLines } from './gemini-cli/format.ts';
import { opencodeDatabase, opencodeExport } from './opencode/format.ts';
import { openhands, openhandsDocument } from './openhands/format.ts';
import { own } from './own/format.ts';
import { pi } from './pi/format.ts';
import { sweAgent } from './swe-agent/format.ts';
import { tauBench } from './tau-bench/format.ts';

/**
 * All formats of sessions, in the order in which a file is compared with them: pi, whose newer kinds are told by little,
 * comes last of those with a record a line. Lists of messages are what is left.
 */
export const formats: readonly Format[] = [
  own,
  claudeCode,
  codex,
  copilot,
  geminiLines,
  openhands,
  pi,
  geminiDocument,
  opencodeExport,
  openhandsDocument,
  sweAgent,
  tauBench,
  aider,
  opencodeDatabase,
];
