import { createHash } from 'node:crypto';
import type { LoopbackCall, LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { type Said, saidIn } from './request-text.ts';
import {
  agentCall,
  type DeclaredTool,
  filled,
  findTool,
  isRecord,
  type JsonRecord,
  readCall,
  toolsIn,
} from './request-tools.ts';

/** The tool by which the gateway offers what was compacted away. */
const recallTool = 'longhaul_recall';

/** What a text tells the model to do. The last one in a request decides. */
const directives =
  /Next: read (?<next>[^\s"'\\<]+)|starting with (?<start>[^\s"'\\<]+?\.md)|(?<end>End of the trail (?<trail>\d+) in (?<folder>[^\s"'\\<]+))|Delegate: (?<delegate>[^\s"'\\<]+)|SUBTASK: read (?<subtask>[^\s"'\\<]+)|SUBTASK result: (?<result>\w+)|(?<written>Report: [^\n"\\]*\.)/g;

/** The named groups that matched, and the position of the text in the request. */
interface Directive {
  readonly at: number;
  readonly next?: string;
  readonly start?: string;
  readonly end?: string;
  readonly trail?: string;
  readonly folder?: string;
  readonly delegate?: string;
  readonly subtask?: string;
  readonly result?: string;
  readonly written?: string;
}

/**
 * A model that knows only what the request says: it follows the newest note, and at the end reports facts from the whole
 * conversation. What is neither in the request nor found by the recall tool is reported as LOST.
 *
 * @example
 * const loopback = await startLoopback({ script: (request) => answer({ request, scale: 1 }) });
 */
export function answer({
  request,
  scale,
  prose = 0,
}: {
  readonly request: LoopbackRequest;
  /** Multiplies the reported input tokens, so that a client believes its window to be full. */
  readonly scale: number;
  /** The characters of text with every call. */
  readonly prose?: number;
}): LoopbackSpoken {
  const said = saidIn({ dialect: request.dialect, body: request.wholeBody });
  const tools = toolsIn({ ...request, body: request.wholeBody });
  const usage = scale === 1 ? {} : { usage: { input: Math.ceil(request.inputTokens * scale) } };
  const spoken = turn({ said, tools, body: request.body });
  const isStep = spoken.text === undefined && spoken.toolCalls?.some(({ name }) => name !== recallTool);
  return { ...spoken, ...(isStep && prose > 0 && { text: remarks({ seed: said.length, length: prose }) }), ...usage };
}

/** Text that cannot be cut like the result of a tool; it has none of the facts. */
function remarks({ seed, length }: { readonly seed: number; readonly length: number }): string {
  const list = 'this note lists values that later work depends on, so each of them was compared with one before'.split(
    ' ',
  );
  let text = 'Remarks:';
  for (let at = 0; text.length < length; at++) {
    const hash = createHash('sha256').update(`${seed} ${at}`).digest();
    text += ` ${[...hash.subarray(0, 8)].map((byte) => list[byte % list.length]).join(' ')} ${hash.toString('hex', 8, 12)}.`;
  }
  return text;
}

function turn({
  said,
  tools,
  body,
}: {
  readonly said: readonly Said[];
  readonly tools: readonly DeclaredTool[];
  readonly body: LoopbackRequest['body'];
}): LoopbackSpoken {
  const schema = answerSchema(body);
  if (schema) return { text: JSON.stringify(jsonFor(schema)) };
  if (isSummaryRequest({ said, tools })) return { text: summary(said) };
  if (tools.length === 0) return { text: 'Notes' };
  // What the recall tool returned is no instruction.
  const directives = directivesIn(
    said.filter(({ tool, kind }) => tool !== recallTool && kind !== 'call' && kind !== 'model'),
  );
  const last = directives.at(-1);
  const step = `Step after ${directives.length} directions.`;
  const go = (path: string | undefined): LoopbackSpoken => {
    const calls = path === undefined ? [] : reads({ tools, path });
    return calls.length > 0 ? { thinking: step, toolCalls: calls } : { text: 'LOST: there is nothing to follow.' };
  };
  if (last?.subtask) {
    const code = said.findLast(({ kind }) => kind === 'result')?.text.match(/code of station \d+ is (\w{8})/)?.[1];
    return code === undefined ? go(last.subtask) : { text: `SUBTASK result: ${code}` };
  }
  if (last?.delegate) {
    const agent = findTool({ tools, kind: 'agent' });
    const isAsked = said.some(({ kind, tool }, at) => kind === 'call' && tool === agent?.name && at > last.at);
    if (agent && !isAsked)
      return { thinking: step, toolCalls: [agentCall({ tool: agent, prompt: `SUBTASK: read ${last.delegate}` })] };
    return go(directives.findLast(({ next }) => next)?.next);
  }
  if (last?.result) return go(directives.findLast(({ next }) => next)?.next);
  if (last?.end) return report({ said, tools, folder: last.folder ?? '', trail: last.trail ?? '' });
  if (last?.written) return { text: last.written };
  return go(last?.next ?? last?.start);
}

function directivesIn(said: readonly Said[]): Directive[] {
  return said.flatMap(({ text }, at) => [...text.matchAll(directives)].map(({ groups = {} }) => ({ ...groups, at })));
}

/** Reads a note; every fourth time with a second call at the same time. */
function reads({ tools, path }: { readonly tools: readonly DeclaredTool[]; readonly path: string }): LoopbackCall[] {
  const at = Number(/note-(\d+)\.md$/.exec(path)?.[1] ?? 0);
  const first = readCall({ tools, path, isShell: at % 2 === 0 });
  const second = readCall({ tools, path: path.replace(/[^/]+$/, 'README.md'), isShell: true });
  return [first, ...(at % 4 === 3 ? [second] : [])].filter((call) => call !== undefined);
}

/** The facts to report: where each was planted, and how to ask for it. */
const facts = [
  { name: 'watchword', pattern: /The watchword is (W-\w+)/, query: 'The watchword is' },
  { name: 'early code', pattern: /code of station 2 is (\w{8})/, query: 'code of station 2' },
] as const;

function report({
  said,
  tools,
  folder,
  trail,
}: {
  readonly said: readonly Said[];
  readonly tools: readonly DeclaredTool[];
  readonly folder: string;
  readonly trail: string;
}): LoopbackSpoken {
  const all = said.map(({ text }) => text).join('\n');
  // What was looked up for an earlier report may have been compacted away since.
  const from = said.findLastIndex(({ text, tool }) => tool !== recallTool && text.includes('End of the trail'));
  const asked = said.slice(from).filter(({ kind, tool }) => kind === 'call' && tool === recallTool);
  const hasRecall = tools.some(({ name }) => name === recallTool);
  const missing = facts.filter(({ pattern }) => !pattern.test(all));
  const calls = missing
    .filter(({ query }) => hasRecall && !asked.some(({ text }) => text.includes(query)))
    .map(({ query }): LoopbackCall => ({ name: recallTool, arguments: { query } }));
  if (calls.length > 0) return { thinking: 'This is not in front of me.', toolCalls: calls };
  const found = facts.map(({ name, pattern }) => `${name} ${pattern.exec(all)?.[1] ?? 'LOST'}`);
  const sent = said.filter(({ tool }) => tool !== recallTool).map(({ text }) => text);
  const newest = [...sent.join('\n').matchAll(/code of station (\d+) is (\w{8})/g)].findLast(
    ([, station]) => Math.floor(Number(station) / 100) === Number(trail) - 1,
  );
  const text = `Report: ${[...found, `newest code ${newest?.[2] ?? 'LOST'}`].join(', ')}.`;
  const shell = findTool({ tools, kind: 'shell' });
  const written = shell && readCall({ tools: [shell], path: `${folder}/README.md`, isShell: true });
  if (!written || shell.isFreeText) return { text };
  // The same call with another command: the report becomes a file, and then the last answer.
  const command = `echo '${text}' | tee ${folder}/report-${trail}.txt`;
  return { toolCalls: [{ name: written.name, arguments: replaceCommand({ call: written, command }) }] };
}

function replaceCommand({ call, command }: { readonly call: LoopbackCall; readonly command: string }) {
  const values = typeof call.arguments === 'string' ? {} : call.arguments;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.startsWith('cat ')
        ? command
        : Array.isArray(value)
          ? value.length === 1
            ? [command]
            : ['bash', '-lc', command]
          : value,
    ]),
  );
}

/** How clients ask for a summary of the conversation. */
export function isSummaryRequest({
  said,
  tools,
}: {
  readonly said: readonly Said[];
  readonly tools: readonly DeclaredTool[];
}): boolean {
  const last = said.findLast(({ kind }) => kind === 'human')?.text ?? '';
  if (/Respond with TEXT ONLY|CONTEXT CHECKPOINT COMPACTION|detailed summary of the conversation/.test(last))
    return true;
  return tools.length === 0 && said.some(({ text }) => /code of station/.test(text));
}

/** A summary made of what the request says. */
function summary(said: readonly Said[]): string {
  const all = said.map(({ text }) => text).join('\n');
  // The earliest and the newest ones, also where an earlier summary comes after what it does not cover.
  const codes = [
    ...new Map([...all.matchAll(/The code of station (\d+) is \w{8}/g)].map(([line, at]) => [Number(at), line])),
  ]
    .toSorted(([a], [b]) => a - b)
    .map(([, line]) => line);
  const watchword = facts[0].pattern.exec(all)?.[0] ?? '';
  const last = directivesIn(said.filter(({ kind }) => kind !== 'call' && kind !== 'model')).at(-1);
  const next = last?.end ?? (last?.start ? `starting with ${last.start}` : `Next: read ${last?.next ?? 'nothing'}`);
  return `<summary>\nThe human's notes so far. ${watchword}. ${codes.slice(0, 3).join('. ')}. ${codes.at(-1) ?? ''}.\n${next}\n</summary>`;
}

/** The schema that the answer has to follow: titles, checks for loops. */
function answerSchema(body: LoopbackRequest['body']): JsonRecord | undefined {
  const { generationConfig, response_format: format, text, output_format: output, output_config: config } = body;
  return [generationConfig, format, text, output, config].map(schemaIn).find((found) => found !== undefined);
}

function schemaIn(value: unknown): JsonRecord | undefined {
  if (!isRecord(value)) return undefined;
  if (isRecord(value.properties)) return value;
  return Object.values(value)
    .map(schemaIn)
    .find((found) => found !== undefined);
}

/** Nothing is wrong with the conversation. */
function jsonFor(schema: JsonRecord): Record<string, unknown> {
  const required = Object.keys(isRecord(schema.properties) ? schema.properties : {});
  return filled({ schema: { ...schema, required }, values: { title: 'Notes', unproductivestateconfidence: 0 } });
}
