import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { guardCut } from 'longhaul/engine';
import { countingRules, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';
import { cpuMs } from './cpu.ts';
import { sessionOf } from './messages.ts';

/** Time limit for trimming a list, in milliseconds. */
export const patience = 60_000;

/**
 * CPU milliseconds to trim a session to half its tokens, counting included: ours, and LangChain's in a process of its
 * own; `undefined` where it took longer than anybody waits.
 */
export async function trimTimes({ size }: { readonly size: number }): Promise<{
  readonly ours: number;
  readonly langchain: number | undefined;
}> {
  const messages = sessionOf({ size });
  const tokenizer = await createTokenizer('o200k_base');
  const counter = createMessageCounter({
    count: (text) => tokenizer.count(text),
    rules: countingRules['openai-chat'],
  });
  const counted = () => messages.map((message) => ({ message, tokens: total(counter.message(message)) }));
  const limit = counted().reduce((sum, { tokens }) => sum + tokens, 0) / 2;
  const ours = await cpuMs(() => guardCut({ items: counted(), headCount: 0, limit }));
  return { ours, langchain: langChainMs(size) };
}

function langChainMs(size: number): number | undefined {
  const args = ['--conditions=longhaul-source', join(import.meta.dirname, 'langchain.ts'), String(size)];
  const { status, stdout } = spawnSync(process.execPath, args, { timeout: patience, encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}
