import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../message/index.ts';
import { runs } from '../../testing/runs.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { call, result, say } from '../fixtures/messages.ts';

const model = modelOf({ window: 4_000 });

const resultText = (message: Message | undefined) =>
  message?.parts.flatMap((part) =>
    part.type === 'tool_result' ? part.content.map((inner) => ('text' in inner ? inner.text : '')) : [],
  )[0] ?? '';

test('@999999999999999 in a tool result is sent as it was written, and the notice names the handle of the entry', async () => {
  const { session } = await begin();
  await session.prepare({ model, turn: { messages: [say('See @999999999999999.')] } });
  await session.append({ type: 'message', message: call('c1') });
  const text = `@999999999999999 was here\n${'x'.repeat(40_000)}\nand @999999999999999 and @1 there`;
  const entry = await session.append({ type: 'message', message: result('c1', text) });
  const { items } = await session.prepare({ model });
  const sent = resultText(items.at(-1));
  expect(sent).toMatch(/^@999999999999999 was here\n/);
  expect(sent).toMatch(/and @999999999999999 and @1 there$/);
  expect(sent).toContain(`recall @${entry.handle} for all of it`);
  expect(JSON.stringify(items[0])).toContain('See @999999999999999.');
});

test('property: no handle in what tools wrote is ever replaced', async () => {
  const handle = fc.oneof(fc.constant(999_999_999_999_999), fc.nat()).map((number) => `@${number}`);
  await fc.assert(
    fc.asyncProperty(fc.array(handle, { minLength: 1, maxLength: 5 }), async (handles) => {
      const { session } = await begin();
      await session.prepare({ model, turn: { messages: [say('Go.')] } });
      await session.append({ type: 'message', message: call('c1') });
      const line = `${handles.join(' ')} end of line`;
      await session.append({ type: 'message', message: result('c1', `${line}\n`.repeat(3_000)) });
      const { items } = await session.prepare({ model });
      const lines = resultText(items.at(-1)).split('\n');
      const others = lines.filter((sent) => sent !== '' && sent !== line);
      expect(others).toHaveLength(1);
      expect(others[0]).toMatch(/characters .*left out; recall @4 /);
    }),
    runs(20),
  );
});
