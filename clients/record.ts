import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of a client with the response it got. */
export interface Recorded {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
  readonly response: string;
}

/** Headers that say which conversation a request belongs to. Keys are not among them. */
const kept =
  /^(?:x-claude-code-.*|session[-_]id|thread-id|x-client-request-id|x-codex-.*|x-openai-subagent|x-(?:parent-)?session-.*|x-interaction-.*|x-initiator|user-agent)$/;

/**
 * A proxy that writes down what passes through it.
 *
 * @example
 * const recorder = await startRecorder({ url: loopback.url });
 */
export async function startRecorder({ url }: { readonly url: string }) {
  const recorded: Recorded[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { host: _, connection: _c, 'content-length': _l, ...headers } = request.headers;
    const { method = 'GET' } = request;
    const sent = { method, headers: headers as Record<string, string>, ...(method === 'POST' && { body }) };
    const answer = await fetch(`${url}${request.url}`, sent);
    const text = await answer.text();
    const contentType = answer.headers.get('content-type') ?? '';
    if (method === 'POST' && answer.ok)
      recorded.push({
        path: request.url ?? '',
        headers: Object.fromEntries(Object.entries(sent.headers).filter(([name]) => kept.test(name))),
        body,
        contentType,
        response: text,
      });
    response.writeHead(answer.status, { 'content-type': contentType });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    recorded,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The longest text of a client that is kept; what is longer says only how long it was. */
const longest = 240;

/**
 * The recording as a fixture: without the client's own prompts and tool descriptions, and without paths of this machine.
 * Equal texts stay equal, so that requests extend each other as they did.
 */
export function fixtureOf({
  recorded,
  paths,
}: {
  readonly recorded: readonly Recorded[];
  /** Paths of this machine, and what to write in their place. */
  readonly paths: Readonly<Record<string, string>>;
}): object {
  const clean = (text: string) =>
    Object.entries(paths)
      .reduce((result, [path, name]) => result.replaceAll(path, name), text)
      // Claude Code's id of the device.
      .replace(/[0-9a-f]{64}/g, '0'.repeat(64));
  const items: string[] = [];
  const index = (item: unknown): number => {
    const text = JSON.stringify(item);
    const known = items.indexOf(text);
    return known >= 0 ? known : items.push(text) - 1;
  };
  const requests = recorded.map(({ path, headers, body, contentType, response }) => {
    const value = shortened(JSON.parse(clean(body))) as Record<string, unknown>;
    const key = ['messages', 'input', 'contents'].find((name) => Array.isArray(value[name])) ?? '';
    const list = (value[key] as unknown[] | undefined) ?? [];
    return {
      path,
      headers: JSON.parse(clean(JSON.stringify(headers))),
      body: { ...value, tools: toolsOf(value.tools), [key]: list.map(index) },
      items: key,
      contentType,
      response: clean(response).split('\n').map(cleanLine).join('\n'),
    };
  });
  return { items: items.map((item) => JSON.parse(item)), requests };
}

/** Responses repeat the tools and instructions of the request. */
function cleanLine(line: string): string {
  const [, prefix = '', text = ''] = /^(data: )?(\{.*\})$/s.exec(line) ?? [];
  if (text === '') return line;
  const value = JSON.parse(text) as Record<string, unknown>;
  const { response } = value;
  const inner =
    typeof response === 'object' && response !== null
      ? { response: { ...response, tools: [], instructions: null } }
      : {};
  return prefix + JSON.stringify(shortened({ ...value, ...inner }));
}

/** Names are enough to tell conversations apart. */
function toolsOf(tools: unknown): unknown {
  if (!Array.isArray(tools)) return tools;
  const schema = { type: 'object', properties: {} };
  return tools.slice(0, 4).map((tool: Record<string, unknown>) => {
    if (Array.isArray(tool.functionDeclarations))
      return {
        functionDeclarations: tool.functionDeclarations
          .slice(0, 4)
          .map(({ name }) => ({ name, description: '', parametersJsonSchema: schema })),
      };
    if (tool.function)
      return { type: 'function', function: { name: (tool.function as { name: string }).name, parameters: schema } };
    return tool.type === 'function'
      ? { type: 'function', name: tool.name, parameters: schema }
      : { name: tool.name, description: '', input_schema: schema };
  });
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return isProse(value) ? shortText(value) : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortened(each)]));
}

/** The marks of a reminder stay: they say that a text is no part of the conversation. */
function shortText(text: string): string {
  const [, open = '', inner = text, close = ''] = /^(<([\w-]+)>\s*)(.*)(<\/\2>\s*)$/s.exec(text)?.toSpliced(2, 1) ?? [];
  return `${open}[${text.length} characters: ${inner.slice(0, 24)}]${close}`;
}

/** A long text that is not of the scratch project. */
function isProse(text: string): boolean {
  return text.length > longest && !/code of station|watchword|^[\w+/=-]+$/.test(text);
}
