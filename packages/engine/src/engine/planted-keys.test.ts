import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { describe, expect, onTestFinished, test } from 'vitest';
import { observe } from '../adapters/otel.ts';
import { createMask } from '../analysis/secrets/mask.ts';
import { exportFormats, exportSession } from '../formats/index.ts';
import { classifyFailure } from '../models/index.ts';
import { maskKeys } from '../models/internal.ts';
import { createModelSummarizer } from '../summarize/model/model-summarizer.ts';
import { scriptedModel } from '../testing/index.ts';
import type { EngineEvent } from './events/event.ts';
import { eventLine } from './events/line.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin } from './fixtures/engine.ts';
import { answer, result, say } from './fixtures/messages.ts';
import { long } from './fixtures/talk.ts';

const r = 'Zx8Qw2Lm5Tn7Vb3Rk9Yp';
const hex = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';

/** Halves that are put together here, so that no scanner of this repository takes them for real. */
const halves: readonly (readonly [string, string])[] = [
  ['-----BEGIN RSA PRIVATE', ` KEY-----\nMIIEow${r}\n-----END RSA PRIVATE KEY-----`],
  ['sk-', `ant-api03-${r}`],
  ['sk_', `live_${r}`],
  ['AIza', `Sy${r}${r.slice(0, 13)}`],
  ['ya29', `.${r}${r}`],
  ['ghp', `_${r}${r.slice(0, 16)}`],
  ['glpat', `-${r}`],
  ['AKIA', 'IOSFODNN7EXAMPLE'],
  ['xoxb', `-2345678901-${r}`],
  ['https://hooks.slack.', `com/services/T01/B02/${r}`],
  ['https://discord.', `com/api/webhooks/123456/${r}`],
  ['123456789', `:AA${r}Zx8Qw2Lm5Tn7V`],
  ['SG', `.${r}.${r}`],
  ['npm', `_${r}${r.slice(0, 16)}`],
  ['eyJ', `hbGciOiJI.eyJzdWIi${r}.${r}`],
  ['https://', `me:${r}@example.com/x`],
  ['sk', `-${r}`],
  ['AIza', 'Sy8Qw2Lm5Tn7Vb3'],
  ['ya29', `.8Qw2Lm5Tn7Vb3Rk9`],
  ['gsk', `_${r}`],
  ['xai', `-${r}`],
  ['ghs', '_x8Qw2Lm5Tn7Vb3Rk9'],
  ['ASIA', `X8Q2W3E4R5T6Y7U8I9O0`],
  ['eyJ', `x8Qw2Lm5Tn7.Vb3Rk9Yp4Zx8.Qw2`],
  ['dop_v1', `_${hex}${hex}`],
];
const keys = halves.map((both) => both.join(''));
const configured = 'correct-horse-battery';

/** The part of each that must appear nowhere. */
const cores = [...keys.map(coreOf), configured];

/** What the mask replaces, found by comparing the text around the placeholder. */
function coreOf(key: string): string {
  const [before = '', after = ''] = createMask()(key).split(/\[secret:[0-9a-f]{6}\]/);
  const found = key.slice(before.length, key.length - after.length).trim();
  if (before === key) throw new Error(`no shape finds ${key}`);
  return found.slice(0, 40).trim();
}

const leaks = (text: string) =>
  cores.filter((core) => text.includes(core) || text.includes(JSON.stringify(core).slice(1, -1)));

async function worked({ byModel }: { readonly byModel: boolean }) {
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-keys-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const all = [...keys, `the phrase is ${configured}`].join('\n');
  // It repeats everything that it was shown, and a little of what stands in the log.
  const script = () => ({
    text: `<summary><title>Keys ${keys[1]}</title>\n<short>${keys[5]}</short>\n## Overview\nThe keys are:\n${all}\n</summary>`,
  });
  const model = scriptedModel({ window: 400_000, script });
  const summarizer = byModel
    ? createModelSummarizer({ models: [model], mode: 'simple', last: byCharacter })
    : byCharacter;
  const { session, store } = await begin({ summarizer, secrets: [configured] });
  const events: EngineEvent[] = [];
  session.onAny((event) => void events.push(event));
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  observe({ session, tracer: tracers.getTracer('t') });
  const mirror = session.mirror({ dir });
  const transcript = await session.follow({ file: join(dir, 'transcript.md') });
  for (const [turn, key] of [...keys, configured].entries()) {
    await session.prepare({ model, turn: { messages: [say(`Never forget: use ${key} for server ${turn}.`)] } });
    const command = { command: `deploy --token '${key}'`, file_path: `/p/${turn}.ts` };
    const part = {
      type: 'tool_call',
      origin: 'model',
      id: `c${turn}`,
      name: 'bash',
      arguments: JSON.stringify(command),
    } as const;
    await session.append({ type: 'message', message: { role: 'assistant', parts: [part] } });
    await session.append({
      type: 'message',
      message: result(`c${turn}`, `export TOKEN=${key}\nerror: ${key} was refused\n`),
    });
    await session.append({ type: 'message', message: answer(long(`The key ${key} works. answer ${turn}`).repeat(4)) });
  }
  await session.state({ todos: [{ content: `rotate ${keys[1]}`, status: 'pending' }] });
  const done = await session.compact({ model });
  await mirror.close();
  await transcript.close();
  return { dir, session, store, model, events, spans, done };
}

describe.each([
  ['a model that repeats all that it was told', true],
  ['no model', false],
])('planted keys, with summaries by %s', (_, byModel) => {
  test('appear in nothing that is derived from the session', async () => {
    const { dir, session, store, model, events, spans, done } = await worked({ byModel });
    expect(done.installed).toBe(true);
    const derived: Record<string, string> = {
      summary: JSON.stringify(done),
      sent: JSON.stringify(session.context.items.slice(0, 1).map(({ message }) => message)),
      compaction: JSON.stringify(await session.session.read({ types: ['compaction'] })),
      checkpoints: JSON.stringify(await session.checkpoints()),
      events: JSON.stringify(events),
      lines: events.map((event) => eventLine(event)).join('\n'),
      spans: JSON.stringify(
        spans.getFinishedSpans().map(({ name, attributes, events: reported }) => ({ name, attributes, reported })),
      ),
    };
    if (byModel) derived.asked = JSON.stringify(model.requests.map(({ head, items }) => ({ head, items })));
    const names = await readdir(dir, { recursive: true });
    expect(names).toContain('transcript.md');
    for (const name of names.filter((one) => one.endsWith('.md'))) {
      derived[name] = await readFile(join(dir, name), 'utf8');
    }
    const mask = createMask({ values: [configured], salt: session.id });
    for (const format of exportFormats) {
      const { text } = await exportSession({ store, session: session.id, format, mask });
      derived[format] = (await Array.fromAsync(text)).join('');
    }
    const found = Object.entries(derived).flatMap(([where, text]) => leaks(text).map((key) => `${where}: ${key}`));
    expect(found).toEqual([]);
    expect(Object.entries(derived).filter(([, text]) => text.length < 10)).toEqual([]);
    // They are still where they belong.
    const log = JSON.stringify(await session.session.path());
    expect(leaks(log)).toHaveLength(cores.length);
  });
});

test('planted keys appear in no error', () => {
  const body = JSON.stringify({ error: { message: `invalid key: ${[...keys, configured].join(' ')}` } });
  const failure = classifyFailure({ dialect: 'anthropic', status: 401, body, secrets: [configured] });
  expect(leaks(JSON.stringify(failure))).toEqual([]);
  expect(leaks(maskKeys({ text: [...keys, configured].join('\n'), secrets: [configured] }))).toEqual([]);
});
