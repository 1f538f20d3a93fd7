/** One life of the agent: opens the session where there is one, goes on with what was interrupted, then with the next prompt. */
import { createAgent, createPermissions, createTools } from 'longhaul/agent';
import { createEngine, createModelSummarizer } from 'longhaul/engine';
import type { ModelEntry } from 'longhaul/models';
import { createModel } from 'longhaul/models/clients';
import { openSqliteStore } from 'longhaul/session';
import { createTokenizer } from 'longhaul/tokens';
import type { Job, Told } from './job.ts';
import { rule } from './job.ts';

const job = JSON.parse(process.argv[2] ?? '{}') as Job;
const tell = (reported: Told) => process.send?.(reported);

const store = await openSqliteStore({ dir: job.store });
const known: ModelEntry = {
  match: [job.model.split('/')[1] ?? ''],
  window: job.window,
  maxOutput: 8_000,
  // It thinks, and its thoughts are bound to their place as those of the newest models are.
  capabilities: { thinking: 'adaptive' },
  quirks: ['bindsThinking'],
};
const model = await createModel({ name: job.model, baseUrl: job.url, apiKey: 'soak', extra: [known], retry: false });
const tokenizer = await createTokenizer('o200k_base');
const summarizer = createModelSummarizer({ models: [{ model }] });
const engine = await createEngine({ store, tokenizer, summarizer });
const session = job.session ? await engine.open(job.session) : await engine.create({ cwd: job.cwd });
tell({ type: 'session', id: session.id });
const tools = createTools({
  cwd: job.cwd,
  session,
  env: process.env,
  count: (text) => tokenizer.count(text),
});
const agent = await createAgent({
  session,
  model,
  tools,
  cwd: job.cwd,
  permissions: createPermissions({ mode: 'yes', cwd: job.cwd }),
  options: { thinking: job.thinking },
});

session.on('compactionComplete', ({ success, strategy }) => {
  if (success) tell({ type: 'compaction', strategy: strategy ?? '' });
});

const life = { isOver: false };
process.on('message', () => {
  life.isOver = true;
});

const { needsAnswer: isAsked, calls } = await agent.pending();
if (isAsked || calls.length > 0) await live(undefined);
else await live(job.session ? 'Go on with the next part.' : `Go through the modules, one after the other. ${rule}`);
for (; !life.isOver; ) await live('Go on with the next part.');
await agent.close();
await session.close();
await store.close();
process.disconnect?.();

/** One run, with what each turn of it took. */
async function live(prompt: string | undefined): Promise<void> {
  let before = process.cpuUsage();
  for await (const event of agent.run(prompt === undefined ? {} : { prompt })) {
    if (event.type === 'usage') {
      const { user, system } = process.cpuUsage(before);
      before = process.cpuUsage();
      const { heapUsed, rss } = process.memoryUsage();
      tell({ type: 'turn', cpuMs: (user + system) / 1_000, heapUsed, rss, usage: event.usage });
    } else if (event.type === 'tool_end') {
      tell({ type: 'call', isError: event.isError });
    } else if (event.type === 'run_end' && event.reason !== 'done') {
      throw new Error(`The run ended with ${event.reason}: ${event.failure?.message ?? ''}`);
    }
  }
}
