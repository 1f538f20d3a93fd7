import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { importSession } from 'longhaul/formats';
import { createMemoryStore, openSession, visibleItem } from 'longhaul/session';
import { readCall } from '../../packages/engine/src/analysis/calls/call.ts';
import { lexLiteral, understandLine } from '../../packages/engine/src/shell/index.ts';
import { listedIn } from '../import/listed.ts';

/** The share below which `--yes` would ask too often to be of use. */
const leastShare = 0.55;

/**
 * Prints how many of the distinct command lines of real sessions are understood, so that a rule or `--yes` can allow them
 * without a question. `--verbose` lists the reasons for the others. Exit code 1 below 55 %.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: { verbose: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const lines = await distinctLines(folder);
  const reasons = new Map<string, number>();
  for (const line of lines) {
    const { reason = '' } = understandLine(line);
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const understood = reasons.get('') ?? 0;
  const literal = lines.filter((line) => lexLiteral(line).isLiteral).length;
  console.log(`${lines.length} distinct command lines`);
  console.log(`${literal} (${percent(literal / lines.length)}) are literal`);
  console.log(
    `${understood} (${percent(understood / lines.length)}) are understood; at least ${percent(leastShare)} are needed`,
  );
  if (values.verbose) {
    const others = [...reasons].filter(([reason]) => reason !== '').toSorted(([, a], [, b]) => b - a);
    for (const [reason, count] of others) console.log(`${count}\t${reason}`);
  }
  if (lines.length === 0 || understood / lines.length < leastShare) process.exitCode = 1;
}

async function distinctLines(folder: string): Promise<string[]> {
  const lines = new Set<string>();
  for (const { path } of listedIn(folder)) {
    const store = createMemoryStore();
    const { session } = await importSession({ store, path, open: () => createReadStream(path) });
    const live = await openSession({ store, id: session });
    for (const entry of await live.path()) {
      for (const part of visibleItem(entry)?.message.parts ?? []) {
        const call = part.type === 'tool_call' ? readCall({ part }) : undefined;
        if (call?.shell) lines.add(call.shell.command);
      }
    }
  }
  return [...lines];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
