/**
 * `npm run clients:mcp -- [CLIENT…] [--install] [--scratch FOLDER]`: real clients with `longhaul install CLIENT`. A scripted
 * provider makes the client read notes, compact by itself, and then call the tools of `longhaul mcp` over its own running
 * session. Judged: the tools are listed, the hooks ran, and what only an earlier tool result said is in the last answer.
 */
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type LoopbackAnswer,
  type LoopbackCall,
  type LoopbackRequest,
  type LoopbackSpoken,
  startLoopback,
} from 'longhaul/testing';
import { type CatalogClient, catalog } from './catalog.ts';
import { clientArguments, installedProgram } from './install.ts';
import { isSummaryRequest } from './model.ts';
import { type Said, saidIn } from './request-text.ts';
import { filled, isRecord, readCall, records, toolsIn } from './request-tools.ts';

/** What is planted, and where it has to be found again. */
const planted = {
  /** A person's rule, in the first prompt. */
  rule: 'Always end a report with the words RULE-5f1c.',
  /** A line of the first note: no prompt, no summary and no answer before the report repeats it. */
  fact: 'The mooring code is M-90b2e7.',
  query: 'mooring code',
  /** In the summary that the client asks for, so that a request after it is recognized. */
  summary: 'SUMMARY-41d0',
};
/** Where thinking is on, a call without it would be refused. */
const thinking = 'The next step.';
/** Some clients keep the last messages, and compact only when there are more. */
const mostReads = 12;
const secondPrompt = 'Read notes/two.md again, then look up the code and report.';
const toolNames = ['sessions', 'search', 'recall', 'frontier'] as const;
type ToolName = (typeof toolNames)[number];

interface McpClient {
  readonly name: string;
  /** The name for `longhaul install`, if it is another one. */
  readonly install?: string;
  /** Its entry in the catalog. */
  readonly client: string;
  /** A program of `examples` that is started in place of the client. */
  readonly example?: Pick<CatalogClient, 'package' | 'command' | 'args'>;
  /** Whether `install` adds hooks around its own compaction, which is then provoked. */
  readonly hasHooks: boolean;
  /** What it needs to read settings of a folder without asking, as a person allows once. */
  readonly trust?: (place: { readonly home: string; readonly cwd: string }) => void;
  readonly args?: readonly string[];
  readonly installArgs?: readonly string[];
  /** Reported input tokens that make it compact by itself; without them it compacts when the provider refuses a request. */
  readonly fullWindow?: number;
  /** Whether the state comes with a later tool result or prompt, since there is no hook right after the compaction. */
  readonly givesStateLater?: true;
  /** Whether it compacts only what is before its last prompt, so that it needs two. */
  readonly needsTwoPrompts?: true;
}

const clients: readonly McpClient[] = [
  { name: 'claude', client: 'claude', hasHooks: true },
  {
    name: 'agent-sdk',
    install: 'claude',
    client: 'claude',
    hasHooks: true,
    example: {
      package: fileURLToPath(new URL('../examples/claude-agent-sdk', import.meta.url)),
      command: 'claude-agent-example',
      args: ({ prompt }) => [prompt],
    },
  },
  {
    name: 'codex',
    client: 'codex',
    hasHooks: true,
    fullWindow: 380_000,
    trust: ({ home, cwd }) =>
      appendFileSync(join(home, '.codex/config.toml'), `[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`),
    args: ['--dangerously-bypass-hook-trust'],
  },
  {
    name: 'gemini',
    client: 'gemini',
    hasHooks: true,
    fullWindow: 900_000,
    givesStateLater: true,
    needsTwoPrompts: true,
  },
  { name: 'opencode', client: 'opencode-messages', hasHooks: true, fullWindow: 195_000 },
  {
    name: 'copilot',
    client: 'copilot-chat',
    hasHooks: true,
    fullWindow: 380_000,
    givesStateLater: true,
    installArgs: ['--user'],
  },
];

const { values, positionals } = clientArguments({ known: clients });

const main = fileURLToPath(new URL('../packages/cli/src/main.ts', import.meta.url));
let failures = 0;
for (const client of clients.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const { line, problems } = await judge(client);
  console.log(`${client.name.padEnd(9)} ${line}`);
  for (const problem of problems) console.log(`    ${problem}`);
  failures += problems.length;
}
process.exitCode = failures === 0 ? 0 : 1;

async function judge(tried: McpClient): Promise<{ readonly line: string; readonly problems: readonly string[] }> {
  const known = catalog.find(({ name }) => name === tried.client);
  const client = known && { ...known, ...tried.example };
  if (!client) return { line: 'failed', problems: [`${tried.client} is not in the catalog`] };
  const program = installedProgram({ client, scratch: values.scratch, mayInstall: values.install });
  const place = join(values.scratch, 'mcp', tried.name);
  const [home, cwd] = [join(place, 'home'), join(place, 'work')];
  rmSync(place, { recursive: true, force: true });
  for (const folder of [home, join(cwd, 'notes')]) mkdirSync(folder, { recursive: true });
  const filler = Array.from({ length: 60 }, (_, line) => `Line ${line} of a note without facts.`).join('\n');
  writeFileSync(join(cwd, 'notes/one.md'), `${filler}\n${planted.fact}\n${filler}\n`);
  writeFileSync(join(cwd, 'notes/two.md'), 'There is nothing in this note.\n');
  execFileSync('git', ['init', '-q', '.'], { cwd });

  let savedBefore = '';
  const seen = { listed: new Set<string>(), afterCompaction: '', results: new Map<ToolName, string>() };
  const loopback = await startLoopback({
    judge: { repeatedResponses: true },
    script: async (request) => {
      const said = saidIn(request);
      const tools = toolsIn(request);
      const isAboutNotes = said.some(({ text }) => text.includes(planted.fact));
      if (isSummaryRequest({ said, tools }) || (tools.length === 0 && isAboutNotes)) {
        // No tool of the server was called yet: what is found was saved by the hook.
        savedBefore = await longhaul('search', planted.query);
        // The form that the client's prompt asks for.
        const tag = tried.name === 'gemini' ? 'state_snapshot' : 'summary';
        return { text: `<${tag}>Two notes were read. ${planted.summary}</${tag}>` };
      }
      if (tools.length === 0) return { text: 'Notes' };
      for (const name of toolNames) if (mcpCall({ request, name, values: {} })) seen.listed.add(name);
      const hasRead = said.some(({ kind, text }) => kind === 'result' && text.includes(planted.fact));
      if (!tried.hasHooks && hasRead) return lookUp({ said, request, results: seen.results });
      if (!JSON.stringify(request.body).includes(planted.summary)) return readNotes({ said, request, cwd, tried });
      if (seen.afterCompaction === '' || tried.givesStateLater) seen.afterCompaction = JSON.stringify(request.body);
      return lookUp({ said, request, results: seen.results });
    },
  });
  const env: Record<string, string> = {
    // Without the folder in which npm has put this repository's own command.
    PATH: [dirname(process.execPath), ...(process.env.PATH ?? '').split(delimiter)]
      .filter((folder) => !folder.includes('node_modules/.bin'))
      .join(delimiter),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    CI: '1',
    NO_COLOR: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    ...client.configure({ home, url: loopback.url }),
  };
  const run = (file: string, args: readonly string[]) =>
    new Promise<{ readonly stdout: string; readonly stderr: string }>((resolve) => {
      const child = execFile(file, [...args], { cwd, env, timeout: 240_000 }, (_, stdout, stderr) =>
        resolve({ stdout, stderr }),
      );
      child.stdin?.end();
    });
  const longhaul = async (...args: string[]) =>
    (await run(process.execPath, ['--conditions=longhaul-source', main, ...args])).stdout;

  try {
    await longhaul('install', tried.install ?? tried.name, ...(tried.installArgs ?? []));
    tried.trust?.({ home, cwd });
    const prompt = `${planted.rule} Read notes/one.md, then notes/two.md, then look up the code and report.`;
    const ask = async (text: string, isFirst: boolean) =>
      await run(program, [...client.args({ prompt: text, isFirst }), ...(tried.args ?? [])]);
    const first = await ask(prompt, true);
    const { stdout, stderr } = tried.needsTwoPrompts ? await ask(secondPrompt, false) : first;
    writeFileSync(join(place, 'output.txt'), `${stdout}\n${stderr}`);
    writeFileSync(
      join(place, 'requests.json'),
      JSON.stringify(loopback.requests.map(({ path, status, verdict, body }) => ({ path, status, verdict, body }))),
    );
    const problems = [
      ...loopback.requests.flatMap(({ verdict }) =>
        verdict && !verdict.legal ? [`illegal request: ${verdict.message}`] : [],
      ),
      ...toolNames.filter((name) => !seen.listed.has(name)).map((name) => `the tool ${name} is not listed`),
      ...toolNames
        .filter((name) => !seen.results.has(name))
        .map((name) => `the tool ${name} was not called, or gave nothing`),
      ...(seen.results.get('recall')?.includes(planted.fact) ? [] : ['recall did not return the planted line']),
      ...(stdout.includes(`Report: ${planted.fact}`) ? [] : ['the answer does not have the planted line']),
      ...(tried.hasHooks && seen.afterCompaction === '' ? ['it did not compact by itself'] : []),
      ...(tried.hasHooks && !savedBefore.includes('M-90b2e7') ? ['nothing was saved before the compaction'] : []),
      ...(tried.hasHooks && !seen.afterCompaction.includes('from the log of the conversation before it was compacted')
        ? ['the state of the work was not given back after the compaction']
        : []),
      ...(tried.hasHooks && !seen.afterCompaction.includes('RULE-5f1c') ? ['the rule was not given back'] : []),
    ];
    const hooks = tried.hasHooks ? ', both hooks ran around its own compaction' : '';
    const line = `${loopback.requests.length} requests, ${seen.results.size} tools called${problems.length === 0 ? hooks : ', failed'}`;
    return { line: `${client.package}: ${line}`, problems };
  } finally {
    await loopback.close();
  }
}

/** Reads the first note, then the second until the client compacts: each of these answers reports a window that is nearly full. */
function readNotes({
  said,
  request,
  cwd,
  tried,
}: {
  readonly said: readonly Said[];
  readonly request: LoopbackRequest;
  readonly cwd: string;
  readonly tried: McpClient;
}): LoopbackAnswer {
  const results = said.filter(({ kind }) => kind === 'result').length;
  const path = join(cwd, results === 0 ? 'notes/one.md' : 'notes/two.md');
  if (tried.needsTwoPrompts && results > 1 && !said.some(({ text }) => text.includes(secondPrompt)))
    return { text: 'Both notes were read.' };
  const call = results > mostReads ? undefined : readCall({ tools: toolsIn(request), path, isShell: true });
  if (!call) return { text: 'It was not compacted.' };
  const { fullWindow } = tried;
  if (results > 1 && fullWindow === undefined) return { failure: 'overflow' };
  return { thinking, toolCalls: [call], ...(results > 0 && fullWindow && { usage: { input: fullWindow } }) };
}

/** Calls each tool once, the second with what the first found, and reports what `recall` returned. */
function lookUp({
  said,
  request,
  results,
}: {
  readonly said: readonly Said[];
  readonly request: LoopbackRequest;
  readonly results: Map<ToolName, string>;
}): LoopbackSpoken {
  for (const name of toolNames) {
    const result = said.findLast(({ kind, tool }) => kind === 'result' && tool?.endsWith(name) === true);
    if (result && result.text !== '') results.set(name, result.text);
  }
  const next = toolNames.find((name) => !said.some(({ kind, tool }) => kind === 'call' && tool?.endsWith(name)));
  if (next === undefined) {
    const fact = results.get('recall')?.match(/The mooring code is \S+/)?.[0] ?? 'nothing was found';
    return { text: `Report: ${fact} RULE-5f1c` };
  }
  const [, session = '', handle = ''] = /^.*?(\S+) (@[\d.]+)\s.*mooring code/m.exec(results.get('search') ?? '') ?? [];
  const given = { query: planted.query, ...(next === 'recall' && { session, handle }) };
  const call = mcpCall({ request, name: next, values: given });
  if (call) return { thinking, toolCalls: [call] };
  // Clients with many tools send schemas only of those that the model asked for.
  const finder = toolsIn(request).find(({ name }) => /^tool_?search$/i.test(name));
  const isAsked = said.some(({ kind, tool }) => kind === 'call' && tool === finder?.name);
  if (!finder || isAsked) return { text: `The tool ${next} is missing.` };
  const query = `select:${toolNames.map((name) => `mcp__longhaul__${name}`).join()}`;
  return {
    thinking,
    toolCalls: [{ name: finder.name, arguments: filled({ schema: finder.schema, values: { query } }) }],
  };
}

/** A call of a tool of the server, under the name that the client gave it. */
function mcpCall({
  request: { dialect, body },
  name,
  values: given,
}: {
  readonly request: LoopbackRequest;
  readonly name: ToolName;
  readonly values: Readonly<Record<string, string>>;
}): LoopbackCall | undefined {
  const own = toolsIn({ dialect, body }).find((tool) => /longhaul/.test(tool.name) && tool.name.endsWith(name));
  const names = { query: ['search'], session: ['recall'], handle: ['recall'] };
  const wanted = Object.fromEntries(
    Object.entries(given).filter(([key]) => names[key as keyof typeof names]?.includes(name)),
  );
  if (own) return { name: own.name, arguments: wanted };
  for (const group of records(body.tools)) {
    if (group.type !== 'namespace' || !String(group.name).includes('longhaul')) continue;
    const inside = records(group.tools).find((tool) => isRecord(tool) && tool.name === name);
    if (inside) return { name, namespace: String(group.name), arguments: wanted };
  }
  return undefined;
}
