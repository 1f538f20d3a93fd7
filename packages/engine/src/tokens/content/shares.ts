/** What the window is filled with. */
export type Share = 'system' | 'tools' | 'messages' | 'toolResults' | 'files';

/** All shares, in the order in which they are shown to people. */
export const shares: readonly Share[] = ['system', 'tools', 'messages', 'toolResults', 'files'];

/** Tokens by what they are spent on. */
export type TokenShares = Readonly<Record<Share, number>>;

export const nothing: TokenShares = { system: 0, tools: 0, messages: 0, toolResults: 0, files: 0 };

export function add(a: TokenShares, b: TokenShares): TokenShares {
  return {
    system: a.system + b.system,
    tools: a.tools + b.tools,
    messages: a.messages + b.messages,
    toolResults: a.toolResults + b.toolResults,
    files: a.files + b.files,
  };
}

/**
 * All tokens of a split.
 *
 * @example
 * total({ system: 100, tools: 20, messages: 5, toolResults: 0, files: 0 }); // 125
 */
export function total(split: TokenShares): number {
  return split.system + split.tools + split.messages + split.toolResults + split.files;
}
