import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession, openSqliteStore } from 'longhaul/session';
import { type LoopbackExchange, startLoopback } from 'longhaul/testing';
import { type AccountedExchange, type PrefixAccount, prefixAccount } from './accounting.ts';
import type { CatalogClient } from './catalog.ts';
import { answer } from './model.ts';
import { makeProject } from './project.ts';
import { fixtureOf, startRecorder } from './record.ts';
import type { Scenario } from './scenarios.ts';

const cli = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));

/** What one run of a client left. */
export interface ScenarioRun {
  /** Exit codes, one per prompt. */
  readonly codes: readonly (number | string)[];
  /** What each process printed at its end. */
  readonly texts: readonly string[];
  /** The files that the model had written. */
  readonly files: Readonly<Record<string, string>>;
  readonly requests: number;
  /** Why requests were rejected, one line each. */
  readonly rejected: readonly string[];
  readonly account: PrefixAccount;
  readonly seconds: number;
  /** Summaries that the client asked for. */
  readonly summaries: number;
  /** Compactions by the gateway. */
  readonly compactions: number;
  /** How often the gateway made the conversation smaller: compactions, and cuts of old results. */
  readonly epochs: number;
  /** Standard error of each process. */
  readonly errors: readonly string[];
  readonly exchanges: readonly LoopbackExchange[];
  readonly fixture?: object;
}

/**
 * Runs one client through one scenario against a provider on this machine, directly or behind the gateway.
 *
 * @example
 * const run = await runScenario({ client, scenario, scratch: '/tmp/clients', isWrapped: true });
 */
export async function runScenario({
  client,
  scenario,
  scratch,
  isWrapped,
  isRecorded = false,
}: {
  readonly client: CatalogClient;
  readonly scenario: Scenario;
  /** The folder with the installed clients; everything else is written below it too. */
  readonly scratch: string;
  readonly isWrapped: boolean;
  /** Whether the requests are kept as a fixture. */
  readonly isRecorded?: boolean;
}): Promise<ScenarioRun> {
  const place = join(scratch, 'runs', `${client.name}-${scenario.name}-${isWrapped ? 'gateway' : 'direct'}`);
  rmSync(place, { recursive: true, force: true });
  const home = join(place, 'home');
  mkdirSync(home, { recursive: true });
  // The same path for both runs: it is part of the conversation.
  const project = makeProject({
    // A path in a fixture says nothing about the machine; streams have it in pieces, so that it cannot be replaced.
    folder: isRecorded ? '/tmp/notes' : join(scratch, 'project', client.name),
    trails: scenario.trails,
    hasDelegation: scenario.hasDelegation === true,
    ...(scenario.lines !== undefined && { lines: scenario.lines }),
  });
  const scale = scenario.isUsageScaled ? (client.compactionScale ?? 8) : 1;
  const summaries = new Set<unknown>();
  const exchanges: AccountedExchange[] = [];
  const loopback = await startLoopback({
    script: (request) => {
      const spoken = answer({ request, scale, ...(scenario.prose !== undefined && { prose: scenario.prose }) });
      if (spoken.text?.startsWith('<summary>')) summaries.add(request.body);
      return spoken;
    },
    onExchange: (exchange) => exchanges.push({ exchange, at: Date.now(), isSummary: summaries.has(exchange.body) }),
    judge: { repeatedResponses: client.repeatsResponses === true && scenario.trails.length > 1 },
    ...(isWrapped && scenario.window !== undefined && { window: scenario.window }),
  });
  const recorder = isRecorded ? await startRecorder({ url: loopback.url }) : undefined;
  const begun = performance.now();
  try {
    const variables = client.configure({ home, url: recorder?.url ?? loopback.url });
    const command = join(scratch, 'installed', client.command, 'node_modules', '.bin', client.command);
    const store = join(place, 'store');
    const wrap = [
      process.execPath,
      '--conditions=longhaul-source',
      cli,
      'wrap',
      '--store',
      store,
      '--recall',
      ...(scenario.window === undefined ? [] : ['--window', String(scenario.window)]),
    ];
    const ended: ProcessEnd[] = [];
    const start = ({ prompt, isFirst }: { readonly prompt: string; readonly isFirst: boolean }) => {
      const launched = client.launcher === undefined ? [command] : ['bash', '-c', client.launcher, command];
      const args = [...launched, ...client.args({ prompt, isFirst })];
      return run({ words: isWrapped ? [...wrap, ...args] : args, cwd: project.folder, home, variables });
    };
    for (const [at, prompt] of project.prompts.entries()) {
      if (at > 0 && scenario.isUsageScaled && client.compactionPrompt !== undefined)
        await start({ prompt: client.compactionPrompt, isFirst: false });
      ended.push(await start({ prompt, isFirst: at === 0 }));
    }
    for (const [at, { method, path, status, body }] of loopback.requests.entries())
      if (status >= 400 && body !== undefined)
        writeFileSync(join(place, `rejected-${at}.json`), JSON.stringify({ method, path, status, body }, undefined, 1));
    const { epochs, compactions } = isWrapped ? await changesIn(store) : { epochs: [], compactions: 0 };
    return {
      codes: ended.map(({ code }) => code),
      texts: ended.map(({ stdout }) => finalText(stdout)),
      errors: ended.map(({ stderr }) => stderr),
      files: reports(project.folder),
      compactions,
      epochs: epochs.length,
      summaries: summaries.size,
      requests: loopback.requests.length,
      rejected: loopback.requests.flatMap(rejection),
      account: prefixAccount({ exchanges, epochs }),
      seconds: (performance.now() - begun) / 1000,
      exchanges: loopback.requests,
      ...(recorder && {
        fixture: fixtureOf({
          recorded: recorder.recorded,
          paths: { [home]: '/home/me' },
        }),
      }),
    };
  } finally {
    recorder?.close();
    await loopback.close();
  }
}

/** What was compacted, and the epochs that changed what is sent; other tools or another model do not. */
async function changesIn(dir: string): Promise<{ readonly compactions: number; readonly epochs: readonly number[] }> {
  const store = await openSqliteStore({ dir });
  try {
    // Branches have the entries of the conversation that they began in.
    const compactions = new Set<string>();
    const epochs = new Map<string, number>();
    for (const { header } of await store.list())
      for (const entry of await (await openSession({ store, id: header.id })).read({ after: 0 })) {
        if (entry.type === 'compaction') compactions.add(entry.id);
        if (entry.type === 'epoch' && !/^(?:head|model)$/.test(entry.reason)) epochs.set(entry.id, entry.at);
      }
    return { compactions: compactions.size, epochs: [...epochs.values()] };
  } finally {
    await store.close();
  }
}

interface ProcessEnd {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any scenario takes. */
const timeout = 400_000;

function run({
  words: [file = '', ...args],
  cwd,
  home,
  variables,
}: {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly variables: Readonly<Record<string, string>>;
}): Promise<ProcessEnd> {
  const child = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
    // Nothing of this machine's settings.
    env: {
      PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: home,
      TERM: 'dumb',
      CI: '1',
      NO_COLOR: '1',
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      DO_NOT_TRACK: '1',
      XDG_CONFIG_HOME: `${home}/.config`,
      XDG_DATA_HOME: `${home}/.local/share`,
      XDG_CACHE_HOME: `${home}/.cache`,
      XDG_STATE_HOME: `${home}/.local/state`,
      NO_UPDATE_NOTIFIER: '1',
      // Clients must not reach anything outside.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
      ...variables,
    },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal ?? '', ...output }));
  });
}

/** The last answer, in whatever the client prints around it. */
function finalText(stdout: string): string {
  return [...stdout.matchAll(/Report: [^\n"\\]*\.|LOST[^\n]*/g)].at(-1)?.[0] ?? stdout.trim().split('\n').at(-1) ?? '';
}

function reports(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.startsWith('report-'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Requests that the provider rejected; unknown routes are no mistake of a conversation. */
function rejection({ verdict, status, path, method }: LoopbackExchange): string[] {
  if (verdict && !verdict.legal) return [`${method} ${path}: ${verdict.message} (${verdict.path})`];
  return method === 'POST' && status >= 400 && status !== 404 ? [`${method} ${path}: ${status}`] : [];
}
