/** A stretch of a text that an agent's client took from an instruction file. */
export interface Instructions {
  readonly text: string;
  /** The number of its first line in the whole text, from 1. */
  readonly line: number;
}

/** How clients announce an instruction file, and where it ends. */
const frames: readonly { readonly opening: RegExp; readonly closing: RegExp }[] = [
  // Codex: "# AGENTS.md instructions for /p" and the file between tags
  { opening: /^# AGENTS\.md instructions[^\n]*\n\s*<INSTRUCTIONS>\n/m, closing: /^<\/INSTRUCTIONS>/m },
  { opening: /<user_instructions>\n/, closing: /<\/user_instructions>/ },
  // Claude Code: "Contents of /p/CLAUDE.md (project instructions, checked into the codebase):"
  {
    opening: /^Contents of \S[^\n]{0,400}?\.md \([^\n)]*instructions[^\n)]*\):\n/m,
    closing:
      /^Contents of \S[^\n]{0,400}?\.md \(|^<\/system-reminder>|^\s*IMPORTANT: this context may or may not be relevant/m,
  },
  // Copilot CLI and VS Code
  {
    opening: /<(?:custom_instructions?|instructions|attachment filePath="[^"]*instructions[^"]*")>\n?/,
    closing: /<\/(?:custom_instructions?|instructions|attachment)>/,
  },
  // Gemini CLI
  { opening: /^--- Context from: \S[^\n]{0,400}?\.md ---\n/m, closing: /^--- End of Context from:/m },
  // opencode
  { opening: /^Instructions from: \S[^\n]{0,400}?\.md\n/m, closing: /^Instructions from: |^<\/?[a-z]/m },
];

/** A client's text with more files than this is no list of instructions. */
const mostFiles = 20;

/**
 * The instruction files (`AGENTS.md`, `CLAUDE.md`, `copilot-instructions.md`, …) in a text that a client made. They are
 * of engine origin, but what they say is the owner's: the client puts them there on the user's behalf, so their rules may
 * be pinned. The same file in the result of a tool is not: anybody can write a file that a tool reads.
 */
export function instructionsIn(text: string): Instructions[] {
  const found: Instructions[] = [];
  for (const { opening, closing } of frames) {
    let from = 0;
    while (found.length < mostFiles) {
      const start = opening.exec(text.slice(from));
      if (!start) break;
      const begin = from + start.index + start[0].length;
      const end = closing.exec(text.slice(begin));
      const stop = end ? begin + end.index : text.length;
      found.push({ text: text.slice(begin, stop), line: text.slice(0, begin).split('\n').length });
      from = stop;
    }
  }
  return found;
}
