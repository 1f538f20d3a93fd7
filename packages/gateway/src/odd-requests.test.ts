import type { Dialect, Json, JsonObject } from 'longhaul/message';
import { afterAll, expect, it } from 'vitest';
import { FakeAgent } from './fixtures/agent.ts';
import { fileOf, shrinks, start } from './fixtures/start.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = Buffer.from('%PDF-1.4\n%%EOF').toString('base64');
const ephemeral = { type: 'ephemeral' };

interface OddUse {
  readonly name: string;
  readonly dialect: Dialect;
  /** Members of every request. */
  readonly members?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the conversation begins with, after the first message. */
  readonly early?: readonly Json[];
  /** Written in place of an item of the client. */
  readonly item?: (item: JsonObject, at: number) => Json;
  readonly stream?: boolean;
  readonly turns?: number;
  /** At the end of every request, not kept. */
  readonly last?: readonly Json[];
  readonly body?: (body: JsonObject) => JsonObject;
}

const uses: readonly OddUse[] = [
  {
    name: 'two choices with log probabilities',
    dialect: 'openai-chat',
    members: { n: 2, logprobs: true, top_logprobs: 2 },
    stream: false,
  },
  {
    name: 'a forced tool',
    dialect: 'openai-chat',
    members: { tool_choice: { type: 'function', function: { name: 'read' } } },
  },
  {
    name: 'an answer by a schema',
    dialect: 'openai-chat',
    members: {
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', properties: {} } } },
    },
  },
  {
    name: 'system and developer messages in the middle',
    dialect: 'openai-chat',
    early: [
      { role: 'assistant', content: 'Yes.' },
      { role: 'system', content: 'Answer briefly.' },
      { role: 'developer', content: 'No lists.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
        ],
        name: 'ann',
      },
      { role: 'assistant', content: null, refusal: 'I cannot see it.' },
      { role: 'user', content: 'Go on.' },
    ],
  },
  {
    name: 'legacy functions',
    dialect: 'openai-chat',
    body: ({ tools: _, ...rest }) => ({
      ...rest,
      functions: [{ name: 'read', parameters: { type: 'object', properties: {} } }],
    }),
    early: [
      { role: 'assistant', content: null, function_call: { name: 'read', arguments: '{}' } },
      { role: 'function', name: 'read', content: 'A file.' },
      { role: 'assistant', content: 'I read it.' },
      { role: 'user', content: 'Go on.' },
    ],
  },
  {
    name: 'results as lists',
    dialect: 'openai-chat',
    item: (item) =>
      item.role === 'tool'
        ? {
            ...item,
            content: [
              { type: 'text', text: String(item.content) },
              { type: 'text', text: '' },
            ],
          }
        : item,
  },
  {
    name: 'system as blocks, cache marks',
    dialect: 'anthropic',
    members: {
      system: [
        { type: 'text', text: 'You are.', cache_control: ephemeral },
        { type: 'text', text: 'Careful.', cache_control: ephemeral },
      ],
      stop_sequences: ['STOP'],
      metadata: { user_id: 'u' },
      service_tier: 'auto',
    },
    headers: { 'anthropic-beta': 'context-1m-2025-08-07,interleaved-thinking-2025-05-14' },
  },
  { name: 'prefill', dialect: 'anthropic', last: [{ role: 'assistant', content: 'Sure, I' }] },
  {
    name: 'server tools and citations',
    dialect: 'anthropic',
    body: (body) => ({
      ...body,
      tools: [...(body.tools as Json[]), { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    }),
    early: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I search.' },
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [
              {
                type: 'web_search_result',
                url: 'https://example.org',
                title: 'T',
                encrypted_content: 'abc',
                page_age: null,
              },
            ],
          },
          {
            type: 'text',
            text: 'It says so.',
            citations: [
              {
                type: 'web_search_result_location',
                url: 'https://example.org',
                title: 'T',
                encrypted_index: 'e',
                cited_text: 'so',
              },
            ],
          },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
  },
  {
    name: 'images, a PDF and documents',
    dialect: 'anthropic',
    early: [
      { role: 'assistant', content: 'Show me.' },
      {
        role: 'user',
        content: [
          ...Array.from({ length: 8 }, () => ({
            type: 'image',
            source: { type: 'base64', media_type: 'image/png', data: png },
          })),
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: pdf },
            title: 'P',
            citations: { enabled: true },
          },
          {
            type: 'document',
            source: { type: 'text', media_type: 'text/plain', data: 'A text.' },
            cache_control: ephemeral,
          },
          { type: 'text', text: 'What is it?' },
        ],
      },
      {
        role: 'assistant',
        content: [
          {
            type: 'text',
            text: 'A text.',
            citations: [
              {
                type: 'char_location',
                cited_text: 'A text.',
                document_index: 1,
                document_title: null,
                start_char_index: 0,
                end_char_index: 7,
              },
            ],
          },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
  },
  {
    name: 'empty results',
    dialect: 'anthropic',
    turns: 16,
    item: (item, at) =>
      ({
        ...item,
        content: Array.isArray(item.content)
          ? (item.content as JsonObject[]).map((block) =>
              block.type !== 'tool_result' || at % 3 === 0
                ? block
                : at % 3 === 1
                  ? { type: 'tool_result', tool_use_id: block.tool_use_id }
                  : { ...block, content: [] },
            )
          : item.content,
      }) as JsonObject,
  },
  {
    name: 'errors, images in results, text after results',
    dialect: 'anthropic',
    item: (item, at) =>
      ({
        ...item,
        content:
          Array.isArray(item.content) && (item.content as JsonObject[]).some(({ type }) => type === 'tool_result')
            ? [
                ...(item.content as JsonObject[]).map((block) => ({
                  ...block,
                  is_error: at % 2 === 0,
                  content: [
                    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
                    ...(Array.isArray(block.content)
                      ? (block.content as Json[])
                      : [{ type: 'text', text: String(block.content) }]),
                  ],
                })),
                { type: 'text', text: 'And now?' },
              ]
            : item.content,
      }) as JsonObject,
  },
  {
    name: 'caching, safety and instructions',
    dialect: 'gemini',
    members: {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: { temperature: 0, candidateCount: 1, stopSequences: ['X'] },
    },
    body: ({ systemInstruction: _, ...body }) => ({
      ...body,
      system_instruction: { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
    }),
  },
  {
    name: 'cached content',
    dialect: 'gemini',
    body: ({ systemInstruction: _, tools: _t, ...body }) => ({ ...body, cachedContent: 'cachedContents/1' }),
  },
  {
    name: 'media, code and files',
    dialect: 'gemini',
    early: [
      {
        role: 'model',
        parts: [
          { executableCode: { language: 'PYTHON', code: 'print(1)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
          { text: 'One.' },
        ],
      },
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: png } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://example.org/a.png' } },
          { text: 'Go on.' },
        ],
      },
    ],
    item: (item) =>
      ({
        ...item,
        parts: (item.parts as JsonObject[]).map((part) =>
          part.functionResponse
            ? {
                functionResponse: {
                  ...(part.functionResponse as JsonObject),
                  parts: [{ inlineData: { mimeType: 'image/png', data: png } }],
                },
              }
            : part,
        ),
      }) as JsonObject,
  },
  {
    name: 'conversation items',
    dialect: 'openai-responses',
    early: [
      { role: 'assistant', content: 'Yes.' },
      { role: 'system', content: 'Briefly.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
        ],
      },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      { role: 'assistant', content: 'Found.' },
      { role: 'user', content: 'Go on.' },
    ],
    members: {
      text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } } },
      top_logprobs: 2,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      truncation: 'disabled',
      parallel_tool_calls: false,
    },
  },
  { name: 'a forced tool', dialect: 'openai-responses', members: { tool_choice: { type: 'function', name: 'read' } } },
];

class OddAgent extends FakeAgent {
  readonly #use: OddUse;

  constructor({ use, url }: { readonly use: OddUse; readonly url: () => string }) {
    const { dialect, headers = {}, stream = true } = use;
    super({ dialect, url, headers, stream });
    this.#use = use;
  }

  override body(): JsonObject {
    const { members = {}, item = (each: JsonObject) => each, last = [], body = (each: JsonObject) => each } = this.#use;
    const plain = super.body();
    const key = ['messages', 'input', 'contents'].find((name) => Array.isArray(plain[name])) ?? '';
    const items = (plain[key] as JsonObject[]).map(item);
    return body({ ...plain, ...members, [key]: [...items, ...last] });
  }
}

/** Enough for a compaction after a few turns. */
const longFile = (path: string) => [1, 2, 3].map((at) => fileOf(`${path}-${at}`)).join('\n');

// One gateway for all: they differ in their first message.
const at = await start({ recall: true, loopback: { judge: { allowPrefill: true } } });
afterAll(() => at[Symbol.asyncDispose]());
const opening = ({ dialect, name }: OddUse) => `Read all files, one after the other (${dialect}, ${name}).`;

it.each(uses)('$dialect, $name: sent as it came, and legal after a compaction', async (use) => {
  const from = at.loopback.requests.length;
  const agent = new OddAgent({ use, url: at.url });
  agent.say(opening(use));
  agent.history.push(...(use.early ?? []));
  const first = JSON.stringify(agent.body());
  for (let turn = 0; turn < (use.turns ?? 6); turn += 1) {
    const message = await agent.turn();
    if (!agent.answer(message, longFile)) agent.say(longFile(`file-${turn}`));
  }
  const requests = at.loopback.requests.slice(from);
  expect(requests[0]?.text).toBe(first);
  expect(requests.filter(({ status }) => status !== 200).map(({ verdict }) => verdict)).toEqual([]);
});

it('each of them is one conversation, and was compacted', async () => {
  const sessions = await at.sessions();
  expect(sessions).toHaveLength(uses.length);
  const shrunk = sessions.filter(({ entries }) => shrinks(entries) > 0).map(({ entries }) => JSON.stringify(entries));
  expect(uses.map(opening).filter((text) => !shrunk.some((entries) => entries.includes(text)))).toEqual([]);
});
