import { describe, expect, it } from 'vitest';
import { assistant, body, text, think, user } from './fixtures/anthropic.ts';
import { expected, type Rule, verdicts } from './fixtures/rules.ts';
import { judge } from './index.ts';

const compaction = (more: object = {}) => ({ type: 'compaction', content: 'They fix clocks.', ...more });
const talk = (blocks: object[], more: object = {}) => body([user('hi'), assistant(blocks), user('go')], more);
const asked = (edit: object) => body([user('hi')], { context_management: { edits: [edit] } });
const trigger = (value: number) => ({ type: 'compact_20260112', trigger: { type: 'input_tokens', value } });

const rules: Rule[] = [
  {
    rule: 'takes back a compaction, also one that failed, but not an empty one',
    legal: talk([compaction(), compaction({ content: null, encrypted_content: null }), text('On.')]),
    illegal: talk([compaction({ content: '' }), text('On.')]),
    message: 'messages.1.content.0.compaction.content: String should have at least 1 character',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'takes it from the assistant only',
    legal: talk([compaction(), text('On.')]),
    illegal: body([user([compaction(), text('hi')])]),
    message: '`compaction` blocks can only be in `assistant` messages',
    path: 'messages[0].content[0]',
  },
  {
    rule: 'knows its members',
    legal: talk([compaction({ signature: 's', cache_control: { type: 'ephemeral' } }), text('On.')]),
    illegal: talk([compaction({ summary: 'x' }), text('On.')]),
    message: 'messages.1.content.0.compaction.summary: Extra inputs are not permitted',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'lets thinking follow it',
    legal: talk([compaction(), think(), text('On.')], {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 4096,
    }),
    illegal: talk([text('On.'), think(), text('On.')], {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 4096,
    }),
    message: 'the first block must be `thinking`',
    path: 'messages[1].content[0]',
  },
  {
    rule: 'compacts from 50,000 tokens on',
    legal: asked(trigger(50_000)),
    illegal: asked(trigger(49_999)),
    message: 'context_management.edits.0.trigger.value: Input should be greater than or equal to 50000',
    path: 'context_management',
  },
  {
    rule: 'knows the edits',
    legal: asked({ type: 'clear_tool_uses_20250919' }),
    illegal: asked({ type: 'clear_everything' }),
    message: "context_management.edits.0: Input tag 'clear_everything' found using 'type'",
    path: 'context_management',
  },
];

describe('the judge on compaction', () => {
  it.each(rules)('$rule', (rule) => {
    expect(verdicts({ dialect: 'anthropic', rule })).toEqual(expected(rule));
  });

  it('requires the beta headers, if headers are given', () => {
    const verdict = (betas: string[], said: object) =>
      judge({ dialect: 'anthropic', body: said, options: { betas } }).legal;
    const back = talk([compaction(), text('On.')]);
    expect([verdict([], back), verdict(['compact-2026-01-12'], back)]).toEqual([false, true]);
    expect([verdict([], asked(trigger(50_000))), verdict(['compact-2026-01-12'], asked(trigger(50_000)))]).toEqual([
      false,
      true,
    ]);
    expect(verdict(['context-management-2025-06-27'], asked(trigger(50_000)))).toBe(false);
    expect(verdict(['context-management-2025-06-27'], asked({ type: 'clear_thinking_20251015' }))).toBe(true);
  });
});
