import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addToBoard, chooseInbox, consolidate, openMemory } from 'longhaul/memory';
import { createMemoryStore, createSession, type Draft } from 'longhaul/session';
import { estimateTokens } from 'longhaul/tokens';

const archived = 10_000;
const inboxLimit = 20;

/**
 * Consolidation per 100,000 tokens of a session, and the inbox with 10,000 archived entries: opening the memory, reading
 * the board and choosing. Exit code 1 if the inbox takes longer than its limit.
 */
export async function run(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-bench-memory-'));
  try {
    await measureConsolidation({ dir });
    measureInbox({ dir });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function measureConsolidation({ dir }: { readonly dir: string }): Promise<void> {
  const session = await createSession({ store: createMemoryStore(), header: { cwd: '/project' } });
  const output = Array.from({ length: 80 }, (_, line) => `${line}: parsed record_${line * 31} in ${line * 7} ms`).join(
    '\n',
  );
  const rounds = 300;
  const drafts = Array.from({ length: rounds }, (_, round): Draft[] => {
    const id = `call-${round}`;
    const input =
      round % 3 === 0 ? { command: 'npm test 2>&1 | tail -40' } : { file_path: `/project/src/file-${round % 40}.ts` };
    const call = {
      type: 'tool_call',
      origin: 'model',
      id,
      name: 'command' in input ? 'Bash' : 'Read',
      arguments: JSON.stringify(input),
    } as const;
    const result = {
      type: 'tool_result',
      origin: 'tool',
      callId: id,
      content: [{ type: 'text', origin: 'tool', text: output }],
    } as const;
    const said = {
      type: 'text',
      origin: 'human',
      text: `Continue with part ${round}. Always keep the log short.`,
    } as const;
    return [
      { type: 'message', message: { role: 'user', parts: [said] } },
      { type: 'message', message: { role: 'assistant', parts: [call] } },
      { type: 'message', message: { role: 'tool', parts: [result] } },
    ];
  }).flat();
  await session.appendBatch(drafts);
  const path = await session.path();
  const tokens = estimateTokens(output) * rounds;
  const memory = openMemory({ dir: join(dir, 'a'), repository: '/project' });
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    await consolidate({ memory, sessions: [{ header: session.header, path }] });
    times.push(performance.now() - started);
  }
  memory.close();
  const best = Math.min(...times);
  console.log(
    `consolidation of ${Math.round(tokens / 1_000)}k tokens: ${best.toFixed(0)} ms, ${((best * 100_000) / tokens).toFixed(0)} ms per 100k tokens`,
  );
}

function measureInbox({ dir }: { readonly dir: string }): void {
  const place = { dir: join(dir, 'b'), repository: '/project' };
  const memory = openMemory(place);
  const candidates = Array.from({ length: archived + 200 }, (_, index) => {
    const file = `src/part-${index % 97}/module-${index}.ts`;
    const evidence = { session: `session-${index % 50}`, handle: '@1', quotation: file, at: index };
    const author = 'consolidation' as const;
    return {
      kind: 'location',
      text: `\`${file}\``,
      author,
      authority: 'event',
      at: index,
      subject: { file },
      evidence,
    } as const;
  });
  const started = performance.now();
  memory.change({ work: (state) => addToBoard({ state, candidates }) });
  console.log(`${archived + 200} entries added to the board in ${(performance.now() - started).toFixed(0)} ms`);
  memory.close();
  const times = Array.from({ length: 20 }, () => {
    const begun = performance.now();
    const open = openMemory(place);
    chooseInbox({ entries: open.list(), request: 'Fix module 10150 in part 60.' });
    open.close();
    return performance.now() - begun;
  }).toSorted((a, b) => a - b);
  const median = times[10] ?? 0;
  console.log(`inbox with ${archived} archived entries: median ${median.toFixed(1)} ms, at most ${inboxLimit} ms`);
  if (median > inboxLimit) process.exitCode = 1;
}
