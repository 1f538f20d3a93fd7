import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoopbackExchange, startLoopback } from 'longhaul/testing';
import { Curve } from './curve.ts';
import { type Job, rule, type Told } from './job.ts';
import { createWork, modules, moduleText } from './script.ts';

/** A model of each protocol, as an agent names it. */
const protocols: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-soak',
  responses: 'openai/gpt-soak',
  chat: 'openai-chat/gpt-soak',
  gemini: 'google/gemini-soak',
};

/**
 * `npm run soak -- agent`: an agent of thousands of tool rounds in a small window, over HTTP, through the real clients and
 * tools, killed with SIGKILL and resumed on the way. What a provider would refuse, and what does not fit, ends it.
 */
export async function soakAgent(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5000' },
      window: { type: 'string', default: '64000' },
      kills: { type: 'string', default: '10' },
      protocol: { type: 'string', multiple: true, default: Object.keys(protocols) },
    },
  });
  const [rounds, window, kills] = [values.rounds, values.window, values.kills].map(Number) as [number, number, number];
  let problems = 0;
  for (const protocol of values.protocol) {
    const model = protocols[protocol];
    if (model === undefined) throw new Error(`--protocol is one of ${Object.keys(protocols).join(', ')}.`);
    problems += await soakOne({ protocol, model, rounds, window, kills });
  }
  return problems === 0 ? 0 : 1;
}

interface Soak {
  readonly protocol: string;
  readonly model: string;
  readonly rounds: number;
  readonly window: number;
  readonly kills: number;
}

async function soakOne({ protocol, model, rounds, window, kills }: Soak): Promise<number> {
  console.log(`\n${protocol}: ${rounds.toLocaleString('en')} rounds in a window of ${window.toLocaleString('en')}\n`);
  const work = createWork({ rounds });
  const trouble: string[] = [];
  const tokens = { most: 0 };
  const loopback = await startLoopback({
    window,
    keep: 10,
    skew: 1.1,
    bindThinking: true,
    script(request) {
      tokens.most = Math.max(tokens.most, request.inputTokens);
      return work.answer(request);
    },
    onExchange: (exchange) => trouble.push(...troubleIn({ exchange, round: work.rounds })),
  });
  const root = mkdtempSync(join(tmpdir(), 'longhaul-soak-'));
  const cwd = workspaceIn(root);
  const job: Job = {
    store: join(root, 'store'),
    cwd,
    url: urlFor(protocol, loopback.url),
    model,
    window,
    thinking: { effort: 'low' },
  };
  const curve = new Curve({ every: Math.max(1, Math.floor(rounds / 10)) });
  const deaths = Array.from({ length: kills }, (_, index) => Math.floor(((index + 0.6) * rounds) / kills));
  const started = Date.now();
  let session: Job['session'];
  let lives = 0;
  try {
    while (work.rounds < rounds && trouble.length === 0) {
      lives += 1;
      session =
        (await life({ job: { ...job, ...(session && { session }) }, work, rounds, dies: deaths.shift(), curve })) ??
        session;
    }
  } finally {
    await loopback.close();
    rmSync(root, { recursive: true, force: true });
  }
  curve.print();
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(
    `${work.rounds} rounds, ${curve.calls} calls (${curve.failedCalls} failed), ${lives - 1} kills, ${curve.compactions} compactions (${curve.strategies}), ${work.summaries} summaries asked for, largest request ${tokens.most} of ${window}, ${seconds} s`,
  );
  console.log(
    `cache-hit rate ${curve.hitRate}; ${trouble.length === 0 ? 'nothing illegal, nothing over the window' : 'TROUBLE'}`,
  );
  if (curve.growth !== undefined) console.log(curve.growth);
  for (const each of trouble.slice(0, 5)) console.log(`  ${each}`);
  return trouble.length;
}

/** A life ends when the work is done, or by SIGKILL in the middle of it. */
async function life(of: {
  readonly job: Job;
  readonly work: { readonly rounds: number };
  readonly rounds: number;
  readonly dies: number | undefined;
  readonly curve: Curve;
}): Promise<Job['session']> {
  const { job, work, rounds, dies = Number.POSITIVE_INFINITY, curve } = of;
  const child: ChildProcess = fork(new URL('./worker.ts', import.meta.url), [JSON.stringify(job)]);
  let session: Job['session'];
  let isKilled = false;
  child.on('message', (reported: Told) => {
    if (reported.type === 'session') session = reported.id;
    else curve.add(reported);
    if (work.rounds >= rounds) child.send('enough');
    // In the middle of the next round, and not right after an event.
    if (work.rounds >= dies && !isKilled) {
      isKilled = true;
      setTimeout(() => child.kill('SIGKILL'), Math.random() * 80);
    }
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0 && !(isKilled && signal === 'SIGKILL')) throw new Error(`The agent ended with ${code ?? signal}.`);
  return session;
}

function troubleIn({ exchange, round }: { readonly exchange: LoopbackExchange; readonly round: number }): string[] {
  const { status, verdict, text, headers } = exchange;
  const found: string[] = [];
  if (verdict && !verdict.legal) found.push(`round ${round}: refused: ${verdict.message}`);
  else if (status >= 400) found.push(`round ${round}: status ${status}, ${text.length} characters`);
  const isSummary = headers['x-interaction-type'] === 'conversation-compaction';
  if (!isSummary && text.length > 0 && !text.includes(rule)) found.push(`round ${round}: the rule is gone`);
  return found;
}

function workspaceIn(root: string): string {
  const cwd = join(root, 'work');
  mkdirSync(join(cwd, 'src'), { recursive: true });
  for (let number = 0; number < modules; number += 1)
    writeFileSync(join(cwd, 'src', `module-${number}.ts`), moduleText({ number, round: 0 }));
  return cwd;
}

function urlFor(protocol: string, url: string): string {
  return protocol === 'responses' || protocol === 'chat' ? `${url}/v1` : url;
}
