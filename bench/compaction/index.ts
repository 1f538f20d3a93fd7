import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createEngine, type TargetModel } from 'longhaul/engine';
import { type Message, user } from 'longhaul/message';
import { modelInfo } from 'longhaul/models';
import { createMemoryStore, createSession, type Store } from 'longhaul/session';
import { generateSession } from 'longhaul/testing';
import { createTokenizer } from 'longhaul/tokens';
import { cpuMs } from './cpu.ts';
import { sessionOf } from './messages.ts';
import { patience, trimTimes } from './trim.ts';
import { waits } from './waits/index.ts';

/** The cost of keeping a conversation inside its window, compared with LangChain's `trimMessages`, and which requests wait for it. */
export async function run(): Promise<void> {
  await trimming();
  await compacting();
  await preparing();
  await waits();
}

async function trimming(): Promise<void> {
  console.log('compaction: CPU ms to trim a generated session to half its tokens, with the same tokenizer\n');
  console.log('messages   longhaul   langchain        x');
  for (const size of [500, 5_000, 50_000]) {
    const { ours, langchain } = await trimTimes({ size });
    const theirs = langchain ?? patience;
    const more = langchain === undefined ? '>' : '';
    const cells = [String(size).padStart(8), ours.toFixed(1).padStart(10)];
    const rest = [`${more}${theirs.toFixed(0)}`.padStart(11), `${more}${(theirs / ours).toFixed(0)}`.padStart(8)];
    console.log([...cells, ...rest].join(' '));
  }
}

async function compacting(): Promise<void> {
  console.log('\nplan and extractive summary of a whole session, in a worker; bar: event loop delay p99 under 20 ms\n');
  console.log('tokens        s of CPU   ms per 100k   event loop p50   p99   max');
  const { count } = await createTokenizer('o200k_base');
  for (const goal of [300_000, 1_000_000, 3_000_000]) {
    const messages = upTo({ tokens: goal, count });
    const store = createMemoryStore();
    const id = await filled({ store, messages });
    const session = await (await createEngine({ store })).open(id);
    // The worker and its tables are there from the second compaction on.
    await session.preview({ model: modelFor(200_000) });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const ms = await cpuMs(() => session.preview({ model: modelFor(200_000) }));
    delay.disable();
    const at = (percent: number) => (delay.percentile(percent) / 1e6).toFixed(1).padStart(5);
    const per = (ms / (goal / 100_000)).toFixed(1).padStart(13);
    const cells = [String(goal).padEnd(13), (ms / 1000).toFixed(2).padStart(8), per, at(50).padStart(16), at(99)];
    console.log([...cells, (delay.max / 1e6).toFixed(1).padStart(5)].join(' '));
  }
}

async function preparing(): Promise<void> {
  const store = createMemoryStore();
  const messages = sessionOf({ size: 10_000 });
  const id = await filled({ store, messages });
  const session = await (await createEngine({ store })).open(id);
  const model = modelFor(100_000_000);
  const first = await session.prepare({ model });
  const turn: Message = user('go on');
  const next = await session.prepare({ model, turn: { messages: [turn] } });
  console.log(
    `\nprepare at ${messages.length} messages: looks at ${first.report.touched} the first time, then at ${next.report.touched} a turn`,
  );
}

function upTo(of: { readonly tokens: number; readonly count: (text: string) => number }): Message[] {
  const messages: Message[] = [];
  let tokens = 0;
  for (let seed = 1; tokens < of.tokens; seed += 1) {
    const more = generateSession({ seed, turns: 40, lines: 80 });
    messages.push(...more);
    tokens += of.count(JSON.stringify(more));
  }
  return messages;
}

async function filled({ store, messages }: { readonly store: Store; readonly messages: readonly Message[] }) {
  const session = await createSession({ store });
  await session.appendBatch(messages.map((message) => ({ type: 'message', message })));
  return session.id;
}

function modelFor(window: number): TargetModel {
  const { inputLimit: _, ...info } = modelInfo({ name: 'gpt-5' });
  return { id: { provider: 'openai', name: 'gpt-5' }, dialect: 'openai-chat', info: { ...info, window } };
}
