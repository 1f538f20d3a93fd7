import * as acp from '@agentclientprotocol/sdk';
import type { AgentEvent, PermissionAnswer, PermissionRequest } from 'longhaul/agent';
import { dataPart, type Message, type Part, type TextPart } from 'longhaul/message';
import { isRecord } from '../input/is-record.ts';
import type { Invocation } from '../invocation.ts';
import { pathOf } from '../io/path-of.ts';
import type { OpenAgent } from './open-agent.ts';

/** What the user typed is human; what the editor attached is data. */
export function promptMessage(blocks: readonly acp.ContentBlock[]): Message {
  const parts = blocks.flatMap((block): TextPart[] => {
    if (block.type === 'text') return [{ type: 'text', origin: 'human', text: block.text }];
    if (block.type === 'resource_link') return [{ type: 'text', origin: 'human', text: `@${pathIn(block.uri)}` }];
    if (block.type === 'resource' && 'text' in block.resource) {
      return [dataPart({ from: 'file', path: pathIn(block.resource.uri), text: block.resource.text })];
    }
    return [];
  });
  return { role: 'user', parts };
}

function pathIn(uri: string): string {
  const url = URL.parse(uri);
  return url?.protocol === 'file:' ? decodeURIComponent(url.pathname) : uri;
}

const kinds: Readonly<Record<string, acp.ToolKind>> = {
  read: 'read',
  ls: 'read',
  write: 'edit',
  edit: 'edit',
  grep: 'search',
  find: 'search',
  search_code: 'search',
  recall: 'search',
  bash: 'execute',
  todo: 'think',
};

/** What an editor shows for an event. */
export async function updateFor({
  event,
  io,
}: {
  readonly event: AgentEvent;
  readonly io: Invocation['io'];
}): Promise<acp.SessionUpdate | undefined> {
  switch (event.type) {
    case 'text':
      return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: event.delta } };
    case 'thinking':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: event.delta } };
    case 'tool_start':
      return {
        sessionUpdate: 'tool_call',
        toolCallId: event.callId,
        title: event.summary,
        kind: kinds[event.tool] ?? 'other',
        status: 'in_progress',
        rawInput: event.input,
        ...(await changeShown({ tool: event.tool, input: event.input, cwd: io.cwd, io })),
      };
    case 'tool_end':
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: event.callId,
        status: event.isError ? 'failed' : 'completed',
        // The diff of an edit stays; other tools show their output.
        ...(kinds[event.tool] === 'edit' && !event.isError ? {} : { content: [shownText(event.text)] }),
      };
    case 'notice':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: `${event.text}\n` } };
    default:
      return undefined;
  }
}

const longestShown = 20_000;

function shownText(text: string): acp.ToolCallContent {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}\n[…]` : text;
  return { type: 'content', content: { type: 'text', text: shown } };
}

/** The file that a call changes, with a diff where the call says what it writes. */
async function changeShown({
  tool,
  input,
  cwd,
  io,
}: {
  readonly tool: string;
  readonly input: unknown;
  readonly cwd: string;
  readonly io: Pick<Invocation['io'], 'files' | 'platform'>;
}): Promise<Pick<acp.ToolCall, 'content' | 'locations'>> {
  if (!isRecord(input) || typeof input.file_path !== 'string') return {};
  const path = pathOf(io).resolve(cwd, input.file_path);
  const locations = [{ path }];
  if (tool === 'write' && typeof input.content === 'string') {
    const oldText = await textOf({ io, path });
    return { locations, content: [{ type: 'diff', path, oldText: oldText ?? null, newText: input.content }] };
  }
  const { edits } = input;
  const content = (Array.isArray(edits) ? edits : [input]).flatMap((item): acp.ToolCallContent[] =>
    isRecord(item) && typeof item.old_string === 'string' && typeof item.new_string === 'string'
      ? [{ type: 'diff', path, oldText: item.old_string, newText: item.new_string }]
      : [],
  );
  return { locations, ...(content.length > 0 && { content }) };
}

const longestOld = 256 * 1024;

async function textOf({
  io,
  path,
}: {
  readonly io: Pick<Invocation['io'], 'files'>;
  readonly path: string;
}): Promise<string | undefined> {
  const facts = await io.files.stat(path).catch(() => undefined);
  if (facts?.kind !== 'file' || facts.bytes > longestOld) return undefined;
  return Buffer.from(await io.files.head({ path, bytes: longestOld })).toString('utf8');
}

/** Asks the person in front of the editor. */
export async function askEditor({
  client,
  sessionId,
  request,
  signal,
  cwd,
}: {
  readonly client: acp.AgentContext;
  readonly sessionId: string;
  readonly request: PermissionRequest;
  readonly signal: AbortSignal;
  readonly cwd: string;
}): Promise<PermissionAnswer> {
  const { access, callId, tool, input, summary, reason, preview } = request;
  const shown = [access.kind === 'execute' ? access.command : undefined, reason, preview].filter(
    (text) => text !== undefined && text !== '',
  );
  const answered = client.request(
    acp.methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: {
        toolCallId: callId,
        title: summary,
        kind: kinds[tool] ?? 'other',
        status: 'pending',
        rawInput: input,
        content: [shownText(shown.join('\n\n'))],
        ...(access.kind === 'execute' && { locations: [{ path: cwd }] }),
      },
      options: [
        { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
        { optionId: 'always', name: 'Allow always in this session', kind: 'allow_always' },
        { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
      ],
    },
    { cancellationSignal: signal },
  );
  // Editors may leave a question unanswered that they cancelled.
  const { promise: aborted, resolve } = Promise.withResolvers<{ outcome: { outcome: 'cancelled' } }>();
  const onAbort = () => resolve({ outcome: { outcome: 'cancelled' } });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  answered.catch(() => undefined);
  const { outcome } = await Promise.race([answered, aborted]).finally(() =>
    signal.removeEventListener('abort', onAbort),
  );
  if (outcome.outcome === 'cancelled') return { deny: 'the user cancelled' };
  if (outcome.optionId === 'allow' || outcome.optionId === 'always') return outcome.optionId;
  return { deny: 'the user said no' };
}

/** The conversation so far, for an editor that opens a session again. */
export async function historyOf({ session }: OpenAgent): Promise<acp.SessionUpdate[]> {
  const entries = await session.session.path();
  return entries.flatMap((entry) =>
    entry.type === 'message'
      ? entry.message.parts.flatMap((part) => updatesOf({ part, role: entry.message.role }))
      : [],
  );
}

function updatesOf({ part, role }: { readonly part: Part; readonly role: string }): acp.SessionUpdate[] {
  if (part.type === 'text' && role === 'user' && part.origin === 'human') {
    return [{ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: part.text } }];
  }
  if (part.type === 'text' && role === 'assistant') {
    return [{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: part.text } }];
  }
  if (part.type === 'tool_call') {
    const { id: toolCallId, name: title } = part;
    return [{ sessionUpdate: 'tool_call', toolCallId, title, kind: kinds[title] ?? 'other', status: 'completed' }];
  }
  return [];
}
