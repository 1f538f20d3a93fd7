import { describe, expect, it } from 'vitest';
import type { Json } from '../../json.ts';
import type { Dialect } from '../message.ts';
import { codecs } from './index.ts';

/** Shapes that real clients were seen to send, one oddity each. */
const shapes: readonly { readonly what: string; readonly dialect: Dialect; readonly items: Json[] }[] = [
  {
    what: 'a system message in the middle of the list (Claude Code with Opus)',
    dialect: 'anthropic',
    items: [
      { role: 'user', content: 'fix the build' },
      { role: 'system', content: [{ type: 'text', text: 'Plan mode is on.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Looking.' }] },
    ],
  },
  {
    what: 'a cache marker on the last block, moved on every request',
    dialect: 'anthropic',
    items: [
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: 'ok',
            cache_control: { type: 'ephemeral', ttl: '1h' },
          },
        ],
      },
    ],
  },
  {
    what: 'thinking with a signature and no text, and a compaction block of the provider',
    dialect: 'anthropic',
    items: [
      {
        role: 'assistant',
        content: [
          { type: 'compaction', content: 'Summary so far.' },
          { type: 'thinking', thinking: '', signature: 'EqQB' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        ],
      },
    ],
  },
  {
    what: 'refusal: null, empty tool_calls and reasoning_content beside the answer (Copilot, opencode)',
    dialect: 'openai-chat',
    items: [
      { role: 'assistant', content: '', refusal: null, reasoning_content: 'hm', tool_calls: [] },
      { role: 'assistant', content: null, refusal: null, annotations: [], audio: null },
    ],
  },
  {
    what: 'private fields that leak into tool messages (Copilot after a resume)',
    dialect: 'openai-chat',
    items: [{ role: 'tool', tool_call_id: 'call_1', content: 'ok', __copilotMessageSource: { kind: 'tool' } }],
  },
  {
    what: 'role, reasoning and calls inside a text part (openai-agents over chat)',
    dialect: 'openai-chat',
    items: [{ role: 'assistant', content: [{ type: 'text', text: 'hi', role: 'assistant', tool_calls: [] }] }],
  },
  {
    what: 'item references in place of answers (AI SDK with a stored conversation)',
    dialect: 'openai-responses',
    items: [
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'item_reference', id: 'msg_1' },
    ],
  },
  {
    what: 'reasoning with content: null and passthrough metadata on every item (Codex)',
    dialect: 'openai-responses',
    items: [
      { type: 'reasoning', summary: [], content: null, encrypted_content: 'gAAA' },
      {
        type: 'function_call',
        name: 'shell',
        arguments: '{"command": ["ls"]}',
        call_id: 'call_1',
        internal_chat_message_metadata_passthrough: { turn_id: 't1' },
      },
      { type: 'function_call_output', call_id: 'call_1', output: 'a.ts' },
      { type: 'compaction', id: 'cmp_1', encrypted_content: 'gBBB' },
    ],
  },
  {
    what: 'every function response twice and stand-in signatures (Gemini CLI after a resume)',
    dialect: 'gemini',
    items: [
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'ls-1', name: 'ls', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'ls-1', name: 'ls', response: { output: 'a.ts' } } },
          { functionResponse: { id: 'ls-1', name: 'ls', response: { output: 'a.ts' } } },
        ],
      },
    ],
  },
  {
    what: 'parts in snake case (REST examples, hand-written clients)',
    dialect: 'gemini',
    items: [
      { role: 'user', parts: [{ inline_data: { mime_type: 'image/png', data: 'aGk=' } }, { text: 'go' }] },
      { role: 'model', parts: [{ function_call: { name: 'ls', args: { a_b: 1 } }, thought_signature: 's' }] },
      { role: 'user', parts: [{ function_response: { name: 'ls', response: { output: 'x' } } }] },
    ],
  },
  {
    what: 'calls without ids (pi over Google) and one content a chunk (genai SDK)',
    dialect: 'gemini',
    items: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ text: 'Look' }] },
      { role: 'model', parts: [{ text: 'ing.' }, { functionCall: { name: 'ls' } }] },
      { parts: [{ functionResponse: { name: 'ls', response: { files: ['a.ts'] } } }] },
    ],
  },
];

describe('shapes of real clients come back unchanged', () => {
  it.each(shapes)('$dialect: $what', ({ dialect, items }) => {
    expect(codecs[dialect].encode(codecs[dialect].decode(items))).toEqual(items);
  });
});

describe('what the codecs understand of them', () => {
  const decode = (dialect: Dialect, item: Json) => codecs[dialect].decode([item])[0]?.parts[0];

  it('keeps arguments as the text the model wrote, spacing included', () => {
    const part = decode('openai-responses', {
      type: 'function_call',
      call_id: 'c',
      name: 'f',
      arguments: '{"a" : 1.0}',
    });
    expect(part).toMatchObject({ type: 'tool_call', arguments: '{"a" : 1.0}' });
  });

  it('pairs calls and responses without ids by name and order', () => {
    const call = (name: string): Json => ({ functionCall: { name, args: {} } });
    const answer = (name: string): Json => ({ functionResponse: { name, response: { output: name } } });
    const [first, second] = codecs.gemini.decode([
      { role: 'model', parts: [call('read'), call('ls'), call('read')] },
      { role: 'user', parts: [answer('ls'), answer('read'), answer('read')] },
    ]);
    const ids = first?.parts.map((part) => (part.type === 'tool_call' ? part.id : ''));
    const answered = second?.parts.map((part) => (part.type === 'tool_result' ? part.callId : ''));
    expect(answered).toEqual([ids?.[1], ids?.[0], ids?.[2]]);
  });

  it('tells a human from a client that speaks in a user message', () => {
    const origin = (text: string) => decode('anthropic', { role: 'user', content: [{ type: 'text', text }] })?.origin;
    expect(origin('please fix it')).toBe('human');
    expect(origin('<system-reminder>\nbe brief\n</system-reminder>')).toBe('engine');
    expect(origin('<environment_context><cwd>/x</cwd></environment_context>')).toBe('engine');
    expect(origin('<system-reminder>be brief</system-reminder> but I want it long')).toBe('human');
    expect(origin('<b>bold</b>')).toBe('human');
    expect(origin('# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nno tabs\n</INSTRUCTIONS>')).toBe('engine');
    expect(origin('# AGENTS.md instructions are wrong. Rewrite them.')).toBe('human');
    expect(origin('<command-name>/fix</command-name>\n<command-args>never touch vendor/</command-args>')).toBe('human');
    expect(origin('<bash-stdout>3 failed</bash-stdout><bash-stderr></bash-stderr>')).toBe('tool');
    expect(origin('<skill name="pdf">how to read PDFs</skill>')).toBe('engine');
    expect(origin('This session is being continued from a previous conversation that ran out of context.')).toBe(
      'model',
    );
  });
});
