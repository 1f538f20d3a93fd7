import { describe, expect, test } from 'vitest';
import { check, type Message, type Part } from '../../message/index.ts';
import { createPromptTokenizer } from '../conversation/prompt-tokenizer.ts';
import { toMessages } from '../conversation/to-messages.ts';
import type { PromptPiece } from '../element.ts';
import { UserMessage } from '../elements/messages.ts';
import { Fragment, h } from '../jsx.ts';
import type * as Raw from '../output/raw.ts';
import { render } from '../render.ts';
import { ConversationHistory } from './conversation-history.ts';
import { Environment } from './environment.ts';
import { FileLines } from './file-lines.ts';
import { Instructions } from './instructions.ts';
import { ToolOutput } from './tool-output.ts';

const tokenizer = createPromptTokenizer({ count: (text) => text.length });
const textOf = ({ content }: Raw.ChatMessage) => content.map((part) => (part.type === 1 ? part.text : '')).join('');

async function rendered(element: PromptPiece, budget = 100_000) {
  const result = await render({ element, budget, tokenizer });
  return { ...result, texts: result.messages.map(textOf) };
}

describe('files', () => {
  test('have line numbers', async () => {
    const { texts } = await rendered(
      h(UserMessage, {}, h(FileLines, { path: 'a.ts', text: 'one\ntwo\n', startLine: 9 })),
    );
    expect(texts).toEqual(['<file path="a.ts" lines="9-10">\n 9  one\n10  two\n</file>']);
  });

  test('are cut between lines to their share, with a note', async () => {
    const text = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
    const { texts, tokenCount } = await rendered(
      h(UserMessage, {}, h(FileLines, { path: 'a.ts', text, keep: 'both' })),
      300,
    );
    expect(tokenCount).toBeLessThanOrEqual(300);
    expect(texts[0]).toContain('  1  line 0\n');
    expect(texts[0]).toContain('lines left out');
    expect(texts[0]).toContain('200  line 199\n</file>');
  });
});

describe('tool results', () => {
  test('keep both ends within their limit, whatever is around them', async () => {
    const text = Array.from({ length: 500 }, (_, line) => `step ${line}`).join('\n');
    const { texts } = await rendered(h(ToolOutput, { toolCallId: '1', text, max: 200 }));
    expect(texts[0]?.length).toBeLessThanOrEqual(200);
    expect(texts[0]).toMatch(/^step 0\n[\s\S]*… cut …[\s\S]*step 499$/);
  });

  test('without lines are cut as well', async () => {
    const { texts } = await rendered(
      h(ToolOutput, { toolCallId: '1', text: 'x'.repeat(10_000), max: 1500, keep: 'head' }),
    );
    expect(texts[0]?.length).toBeGreaterThan(900);
    expect(texts[0]?.length).toBeLessThanOrEqual(1500);
  });

  test('are never cut inside a character', async () => {
    for (const max of [1300, 1301, 2000]) {
      const { texts } = await rendered(h(ToolOutput, { toolCallId: '1', text: `a${'😀'.repeat(2000)}`, max }));
      expect(texts[0]?.length).toBeLessThanOrEqual(max);
      expect(texts[0]?.isWellFormed()).toBe(true);
      expect(texts[0]).toContain('😀');
    }
  });

  test('that are empty say so, since providers reject empty results', async () => {
    expect((await rendered(h(ToolOutput, { toolCallId: '1', text: '' }))).texts).toEqual(['(nothing)']);
  });
});

test('instructions and environment are in order, with a breakpoint if requested', async () => {
  const { messages, texts } = await rendered(
    h(
      Fragment,
      null,
      h(Instructions, { files: [{ path: 'AGENTS.md', text: 'Use tabs.' }], cached: true }, 'You are careful.'),
      h(Environment, { facts: { cwd: '/x', date: undefined, git: 'main' } }),
    ),
  );
  expect(texts).toEqual([
    'You are careful.\n<instructions path="AGENTS.md">\nUse tabs.\n</instructions>',
    '<environment>\ncwd: /x\ngit: main\n</environment>',
  ]);
  expect(messages[0]?.content.at(-1)?.type).toBe(3);
});

describe('a conversation', () => {
  const text = (origin: 'human' | 'model' | 'tool', words: string): Part => ({ type: 'text', origin, text: words });
  const long: Message[] = Array.from({ length: 12 }, (_, turn): Message[] => [
    { role: 'user', parts: [text('human', `question ${turn}`)] },
    { role: 'assistant', parts: [{ type: 'tool_call', origin: 'model', id: `c${turn}`, name: 'ls', arguments: '{}' }] },
    {
      role: 'tool',
      parts: [
        { type: 'tool_result', origin: 'tool', callId: `c${turn}`, content: [text('tool', 'x'.repeat(60)) as never] },
      ],
    },
    { role: 'assistant', parts: [text('model', `answer ${turn}`)] },
  ]).flat();

  test.each([400, 700, 1200, 2000])(
    'within %i tokens keeps the newest messages, and calls with their results',
    async (budget) => {
      const { messages, tokenCount } = await rendered(h(ConversationHistory, { messages: long }), budget);
      expect(tokenCount).toBeLessThanOrEqual(budget);
      const items = toMessages(messages);
      expect(
        items.flatMap(({ parts }) => parts).some((part) => part.type === 'text' && part.text === 'question 11'),
      ).toBe(true);
      expect(check(items, 'openai-chat')).toEqual([]);
      // The rest is the end of the conversation, in order.
      expect(items).toEqual(long.slice(-items.length));
    },
  );
});
