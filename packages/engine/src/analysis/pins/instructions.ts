import { type InstructionKind, instructionKind } from './instruction-path.ts';

/** A stretch of a text that an agent's client took from an instruction file or a skill. */
export interface Instructions {
  readonly text: string;
  /** The number of its first line in the whole text, from 1. */
  readonly line: number;
  readonly kind: InstructionKind;
  /** The file or skill it was taken from, where the client says so. */
  readonly name?: string;
}

interface Frame {
  /** Its first group, where it has one, is the name of the file or skill. */
  readonly opening: RegExp;
  readonly closing: RegExp;
  readonly kind?: InstructionKind;
  /** Any file may stand there: it is one of instructions only by its path. */
  readonly isByPath?: true;
}

const endOfContents =
  /^Contents of \S[^\n]{0,400}?(?: \([^\n)]{0,200}\))?:$|^<\/system-reminder>|^[^\S\n\r\u2028\u2029]*IMPORTANT: this context may or may not be relevant/m;

/** How clients announce an instruction file or a skill, and where it ends. */
const frames: readonly Frame[] = [
  // Codex: "# AGENTS.md instructions for /p" and the file between tags
  { opening: /^# (AGENTS\.md) instructions[^\n]*\n\s*<INSTRUCTIONS>\n/m, closing: /^<\/INSTRUCTIONS>/m },
  { opening: /<user_instructions>\n/, closing: /<\/user_instructions>/ },
  // Claude Code: "Contents of /p/CLAUDE.md (project instructions, checked into the codebase):"
  {
    opening: /^Contents of (\S[^\n]{0,400}?\.md) \([^\n)]*instructions[^\n)]*\):\n/m,
    closing: endOfContents,
  },
  // The same of a file in a folder that the agent came to
  { opening: /^Contents of (\S[^\n]{0,400}?):\n/m, closing: endOfContents, isByPath: true },
  // Copilot CLI and VS Code
  {
    opening: /<(?:custom_instructions?|instructions|attachment filePath="([^"\n]*instructions[^"\n]*)")>\n?/,
    closing: /<\/(?:custom_instructions?|instructions|attachment)>/,
  },
  // Gemini CLI
  { opening: /^--- Context from: (\S[^\n]{0,400}?\.md) ---\n/m, closing: /^--- End of Context from:/m },
  // opencode
  { opening: /^Instructions from: (\S[^\n]{0,400}?\.md)\n/m, closing: /^Instructions from: |^<\/?[a-z]/m },
  // Copilot CLI
  {
    opening: /<skill-context name="([^"\n]{1,100})">\n/,
    closing: /<\/skill-context>/,
    kind: 'skill',
  },
  // Codex
  { opening: /^<skill>\n(?:<name>([^<\n]{1,100})<\/name>\n)?/m, closing: /^<\/skill>/m, kind: 'skill' },
  // Claude Code
  { opening: /^Base directory for this skill: (\S[^\n]{0,400})\n/, closing: /^<\/?system-reminder>/m, kind: 'skill' },
];

/** A client's text with more files than this is no list of instructions. */
const mostFiles = 20;

/**
 * The instruction files (`AGENTS.md`, `CLAUDE.md`, `copilot-instructions.md`, …) and skills in a text that a client made.
 * They are of engine origin, but what they say is the owner's: the client puts them there on the user's behalf, so their
 * rules may be pinned.
 *
 * @example
 * instructionsIn('Contents of /p/CLAUDE.md (project instructions):\nNever push.'); // one, named /p/CLAUDE.md
 */
export function instructionsIn(text: string): Instructions[] {
  const found: Instructions[] = [];
  for (const { opening, closing, kind = 'instructions', isByPath } of frames) {
    let from = 0;
    while (found.length < mostFiles) {
      const start = opening.exec(text.slice(from));
      if (!start) break;
      const begin = from + start.index + start[0].length;
      const end = closing.exec(text.slice(begin));
      const stop = end ? begin + end.index : text.length;
      const name = start[1]?.trim();
      from = stop;
      if (isByPath && !instructionKind({ path: name ?? '' })) continue;
      const line = text.slice(0, begin).split('\n').length;
      found.push({ text: text.slice(begin, stop), line, kind, ...(name !== undefined && { name }) });
    }
  }
  return found;
}
