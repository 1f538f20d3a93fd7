import { describe, expect, test } from 'vitest';
import type { TelemetryModules } from '../agent/telemetry.ts';
import { world } from './sessions.fixture.ts';
import { withWork } from './work.fixture.ts';

const small = ['--window', '12000'] as const;
const userFile = '/home/me/.config/longhaul/config.json';
const summary = '<summary><title>Importer</title>\n## Progress\nThe importer was measured, seed by seed.</summary>';

/** A world with endpoints in it, and the addresses that were asked. */
async function withEndpoints(given: Parameters<typeof withWork>[0] = {}) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(new Request(input, init).url);
    return Response.json({ summary });
  };
  return { ...(await withWork({ ...given, fetch })), asked };
}

describe('settings reach the command, not only the library', () => {
  test('reserve, keep-recent, auto-continue and branch summaries replace what the preset says', async () => {
    const { json } = world();
    const flags = ['--reserve', '3k', '--keep-recent', '2000', '--auto-continue', '--branch-summaries', 'off'];
    const { inForce } = (await json('presets', '--preset', 'chat', ...flags)).value;
    expect(inForce).toMatchObject({
      name: 'chat',
      reserve: { tokens: 3_000 },
      keep: { tokens: 2_000 },
      autoContinue: true,
      branchSummaries: false,
    });
    const off = (await json('presets', '--no-auto-continue')).value.inForce;
    expect(off).toMatchObject({ autoContinue: false, branchSummaries: true });
  });

  test('a larger reserve leaves less after a compaction', async () => {
    const { json, id } = await withWork();
    const after = async (...flags: string[]) =>
      (await json('compact', id, ...small, '--dry-run', ...flags)).value.tokensAfter;
    expect(await after('--reserve', '6000')).toBeLessThan(await after('--reserve', '500'));
  });

  test('keep-recent is what stays verbatim at the end', async () => {
    const { json, id } = await withWork();
    const keptFrom = async (tokens: string) => {
      const { value } = await json('compact', id, '--window', '40000', '--dry-run', '--keep-recent', tokens);
      return Number(String(value.cut.keptFrom).slice(1));
    };
    expect(await keptFrom('3000')).toBeLessThan(await keptFrom('300'));
  });

  test('candidates are asked in order, those alone whose filter fits the model of the conversation', async () => {
    const candidates = [
      { endpoint: 'https://other.example/v1', when: ['gpt-*', 'openai/*'] },
      { endpoint: 'https://mine.example/v1', when: ['unknown'] },
      { endpoint: 'https://last.example/v1' },
    ];
    const files = { [userFile]: JSON.stringify({ compaction: { candidates } }) };
    const { json, id, asked } = await withEndpoints({ files });
    const { value } = await json('compact', id, ...small, '--dry-run');
    expect(value.strategy).toBe('simple');
    expect(asked).toEqual(['https://mine.example/v1']);
  });

  test('candidates of a project are not asked', async () => {
    const candidates = [{ endpoint: 'https://theirs.example/v1' }];
    const files = { '/project/longhaul.config.json': JSON.stringify({ compaction: { candidates } }) };
    const { json, id, asked } = await withEndpoints({ files });
    expect((await json('compact', id, ...small, '--dry-run')).value.strategy).toBe('extractive');
    expect(asked).toEqual([]);
  });

  test('a named model or endpoint is used without --summarizer model, as by the agent', async () => {
    const { json, id, asked } = await withEndpoints();
    const endpoint = ['--endpoint', 'https://mine.example/v1'] as const;
    expect((await json('compact', id, ...small, '--dry-run', ...endpoint)).value.strategy).toBe('simple');
    expect(asked).toHaveLength(1);
    const refused = await json('compact', id, ...small, '--summarizer', 'extractive', ...endpoint);
    expect(refused.value.error.code).toBe('bad-usage');
  });

  test('branch summaries are made unasked, without a model or by one, and not with --no-summarize', async () => {
    const { json, id, asked } = await withEndpoints();
    const branch = (...flags: string[]) => json('branch', id, '--to', '@20', '--dry-run', ...flags);
    expect((await branch()).value.summary).toBeNull();
    expect((await branch('--branch-summaries', 'extractive')).value.summary).toMatchObject({ strategy: 'extractive' });
    expect(asked).toEqual([]);
    const model = ['--branch-summaries', 'model', '--endpoint', 'https://mine.example/v1'];
    expect((await branch(...model)).value.summary).toMatchObject({ strategy: 'simple' });
    expect(asked).toEqual(['https://mine.example/v1']);
    expect((await branch(...model, '--no-summarize')).value.summary).toBeNull();
  });
});

describe('OpenTelemetry', () => {
  /** The SDK, with the options it was given. */
  function telemetry() {
    const reported: string[] = [];
    class NodeSDK {
      start() {
        reported.push('start');
      }
      async shutdown() {
        reported.push('shutdown');
      }
    }
    const observe = ({ session }: { session: { onAny(listener: (event: { type: string }) => void): () => void } }) =>
      session.onAny(({ type }) => void reported.push(type));
    const modules = {
      sdk: { NodeSDK },
      session: { observe },
      agent: { observeAgent: () => () => undefined },
    };
    return { reported, telemetry: async () => modules as unknown as TelemetryModules };
  }

  test('observes a compaction and exports what is left before the command ends', async () => {
    const { reported, telemetry: modules } = telemetry();
    const { call, id } = await withWork({ telemetry: modules });
    expect((await call('compact', id, ...small, '--otel')).code).toBe(0);
    expect(reported[0]).toBe('start');
    expect(reported).toContain('compactionComplete');
    expect(reported.at(-1)).toBe('shutdown');
  });

  test('is off unless it is turned on, and by the standard variable', async () => {
    const { reported, telemetry: modules } = telemetry();
    const { call, id } = await withWork({ telemetry: modules, env: { OTEL_SDK_DISABLED: 'true' } });
    await call('compact', id, ...small, '--dry-run');
    await call('compact', id, ...small, '--dry-run', '--otel');
    expect(reported).toEqual([]);
  });

  test('without its packages one line says what to install, and the command does its work', async () => {
    const { call, id } = await withWork();
    const { code, stderr } = await call('compact', id, ...small, '--otel');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^OpenTelemetry is on, but its packages are not installed, .*sdk-node\n$/);
  });
});
