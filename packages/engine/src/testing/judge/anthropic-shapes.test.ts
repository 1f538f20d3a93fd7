import { describe, expect, it } from 'vitest';
import {
  assistant,
  body,
  call,
  image,
  manual,
  mark,
  png,
  result,
  system,
  text,
  think,
  tool,
  user,
} from './fixtures/anthropic.ts';
import { damaged, gone } from './fixtures/damage.ts';
import { judge } from './index.ts';

/** One valid request with everything in it; each row below breaks one value. */
const specimen = body(
  [
    user([text('look', mark), image(png), image({ type: 'url', url: 'https://x/y.png' }), text('?')]),
    assistant([think(), text('I will.'), call('a')]),
    user([result('a', { is_error: false, content: [text('x'), image({ type: 'file', file_id: 'f' })] })]),
    system([text('Be brief.')]),
  ],
  {
    ...manual,
    system: [text('You are a test.')],
    tools: [tool, { type: 'bash_20250124', name: 'bash' }],
    tool_choice: { type: 'auto' },
  },
);

const rows: [path: string, value: unknown, message: string][] = [
  ['model', 1, 'model: Input should be a valid string'],
  ['max_tokens', 1.5, 'max_tokens: Input should be a valid integer'],
  ['max_tokens', -1, 'max_tokens: Input should be greater than or equal to 0'],
  ['messages', {}, 'messages: Input should be a valid list'],
  ['messages[0]', 'hi', 'messages.0: Input should be a valid dictionary'],
  ['messages[0].role', gone, 'messages.0.role: Field required'],
  ['messages[0].content', gone, 'messages.0.content: Field required'],
  ['messages[0].content', 1, 'messages.0.content: Input should be a valid list'],
  ['messages[0].content[0]', 'hi', 'messages.0.content.0: Input should be a valid dictionary'],
  ['messages[0].content[0].type', gone, 'messages.0.content.0.type: Field required'],
  ['messages[0].content[0].text', gone, 'messages.0.content.0.text.text: Field required'],
  ['messages[0].content[0].text', 1, 'text.text: Input should be a valid string'],
  ['messages[0].content[0].cache_control.type', 'forever', "Input tag 'forever' found using 'type'"],
  ['messages[0].content[1].source', gone, 'image.source: Field required'],
  ['messages[0].content[1].source', 'x', 'image.source: Input should be a valid dictionary'],
  ['messages[0].content[1].source.data', gone, 'image.source.base64.data: Field required'],
  ['messages[0].content[2].source.url', gone, 'image.source.url.url: Field required'],
  ['messages[0].content[2].source.url', 1, 'image.source.url.url: Input should be a valid string'],
  ['messages[1].content[0].thinking', gone, 'thinking.thinking: Field required'],
  ['messages[1].content[0].signature', 1, 'thinking.signature: Input should be a valid string'],
  ['messages[1].content[2].id', gone, 'messages.1.content.2.tool_use.id: Field required'],
  ['messages[1].content[2].name', gone, 'tool_use.name: Field required'],
  ['messages[1].content[2].name', '', 'tool_use.name: String should have at least 1 character'],
  ['messages[1].content[2].name', 'x'.repeat(201), 'tool_use.name: String should have at most 200 characters'],
  ['messages[1].content[2].input', gone, 'tool_use.input: Field required'],
  ['messages[2].content[0].tool_use_id', gone, 'tool_result.tool_use_id: Field required'],
  [
    'messages[2].content[0].tool_use_id',
    'a b',
    "tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'",
  ],
  ['messages[2].content[0].is_error', 'no', 'tool_result.is_error: Input should be a valid boolean'],
  ['messages[2].content[0].content', 1, 'tool_result.content: Input should be a valid list'],
  ['messages[2].content[0].content[0]', 'x', 'tool_result.content.0: Input should be a valid dictionary'],
  ['messages[2].content[0].content[0].text', 1, 'text.text: Input should be a valid string'],
  ['messages[2].content[0].content[1].source.file_id', gone, 'image.source.file.file_id: Field required'],
  ['messages[3].content[0]', { type: 'image', source: png }, '`image` blocks are not supported in `system` messages'],
  ['system', 1, 'system: Input should be a valid list'],
  ['system[0]', 'x', 'system.0: Input should be a valid dictionary'],
  ['system[0].type', 'image', "system.0.type: Input should be 'text'"],
  ['system[0].origin', 'x', 'system.0.origin: Extra inputs are not permitted'],
  ['thinking.type', 'always', "Input tag 'always' found using 'type'"],
  ['thinking.budget_tokens', gone, 'thinking.enabled.budget_tokens: Field required'],
  ['tool_choice', { type: 'any' }, 'Thinking may not be enabled when tool_choice forces tool use.'],
  ['tool_choice', 'auto', 'tool_choice: Input should be a valid dictionary'],
  ['tool_choice', { type: 'tool' }, 'tool_choice.tool.name: Field required'],
  ['tools', {}, 'tools: Input should be a valid list'],
  ['tools[0]', 'read', 'tools.0: Input should be a valid dictionary'],
  ['tools[0].name', gone, 'tools.0.custom.name: Field required'],
  ['tools[0].name', 'fs.read', "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"],
  ['tools[0].input_schema', 'x', 'tools.0.custom.input_schema: Input should be a valid dictionary'],
  ['tools[0].input_schema.type', gone, 'tools.0.custom.input_schema.type: Field required'],
  ['tools[1].type', 1, 'tools.1.type: Input should be a valid string'],
];

describe('the Anthropic judge on shapes', () => {
  it('accepts the specimen', () => {
    expect(judge({ dialect: 'anthropic', body: specimen })).toEqual({ legal: true });
  });

  it.each(rows)('rejects it with %s %s', (path, value, message) => {
    const verdict = judge({ dialect: 'anthropic', body: damaged({ body: specimen, path, value }) });
    expect(verdict).toMatchObject({ legal: false, status: 400, message: expect.stringContaining(message) });
  });

  it('rejects thinking in a prefill of a request without thinking', () => {
    const messages = [user('hi'), assistant([think(), text('The')])];
    const options = { allowPrefill: true };
    expect(judge({ dialect: 'anthropic', body: body(messages, manual), options })).toEqual({ legal: true });
    expect(judge({ dialect: 'anthropic', body: body(messages), options })).toMatchObject({
      message: expect.stringContaining('When thinking is disabled, an `assistant` message in the final position'),
    });
  });

  it('requires no max_tokens for a token count', () => {
    const counted = damaged({ body: body([user('hi')]), path: 'max_tokens', value: gone });
    expect(judge({ dialect: 'anthropic', body: counted, options: { endpoint: 'count' } })).toEqual({ legal: true });
    expect(judge({ dialect: 'anthropic', body: counted })).toMatchObject({ path: 'max_tokens' });
  });
});
