import type { Message } from '../../message/index.ts';
import type { Files } from '../files.ts';
import { findInstructions, framed } from '../instructions/instructions.ts';
import { type Skill, skillList } from '../skills/skill.ts';
import { systemPrompt } from './prompt.ts';

/** What stands in front of everything, and what was left out of it. */
export interface UsualHead {
  readonly head: readonly Message[];
  readonly skipped: readonly string[];
}

/**
 * Our system prompt, the tree of files, the instruction files that hold in the folder, and the list of skills. The head stays in front
 * through every compaction, byte for byte; nothing in it changes with time, since every change opens an epoch.
 */
export async function usualHead({
  cwd,
  skills,
  files,
  tree,
}: {
  readonly cwd: string;
  /** The files of the workspace. */
  readonly tree?: string | undefined;
  readonly skills: readonly Skill[];
  readonly files?: Files;
}): Promise<UsualHead> {
  const found = await findInstructions({ cwd, ...(files && { files }) });
  const parts = [
    systemPrompt,
    `The folder that you work in is ${cwd}.`,
    ...(tree === undefined ? [] : [tree]),
    ...found.files.map(framed),
    ...(skills.length > 0 ? [skillList(skills)] : []),
  ];
  return { head: parts.map(systemMessage), skipped: found.skipped };
}

export function systemMessage(text: string): Message {
  return { role: 'system', parts: [{ type: 'text', origin: 'engine', text }] };
}
