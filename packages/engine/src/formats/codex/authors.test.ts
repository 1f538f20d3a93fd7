import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { clientMade, event, item, message, sessionMeta, typed } from '../fixtures/codex-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

/** Who wrote what of the message that these lines make. */
async function written(records: readonly JsonObject[]): Promise<readonly (readonly [string, string])[]> {
  const { live } = await bringIn({ text: jsonl([sessionMeta(), ...records, event('error')]) });
  const [, said] = live.context.items;
  return (said?.message.parts ?? []).map((part) => [part.origin, part.type === 'text' ? part.text : part.type]);
}

describe('the author of items with the user role', () => {
  test('a person, where an event repeats it', async () => {
    expect(await written(typed('Fix it.'))).toEqual([['human', 'Fix it.']]);
    expect(await written(typed('<b>Fix it.</b>'))).toEqual([['human', '<b>Fix it.</b>']]);
    const pasted = clientMade[1] ?? '';
    expect(await written(typed(pasted))).toEqual([['human', pasted]]);
  });

  test.each([
    ['instructions of the project', clientMade[0] ?? ''],
    ['the environment', clientMade[1] ?? ''],
    ['older instructions', '<user_instructions>\nUse tabs.\n</user_instructions>'],
    ['an abort', '<turn_aborted>\nThe user interrupted.\n</turn_aborted>'],
    ['news of a sub-agent', '<subagent_notification>{"status":"done"}</subagent_notification>'],
    [
      'an element that a later version may use',
      '<codex_internal_context source="goal">Go on.</codex_internal_context>',
    ],
  ])('Codex itself: %s', async (_, text) => {
    expect(await written([message('user', [text])])).toEqual([['engine', text]]);
  });

  test('a person again, where nothing says otherwise', async () => {
    expect(await written([message('user', ['Look at <b>this</b> one.'])])).toEqual([
      ['human', 'Look at <b>this</b> one.'],
    ]);
  });

  test('newer versions name the kind of each part, and are believed', async () => {
    const kinds = (...names: string[]) => ({
      internal_chat_message_metadata_passthrough: { turn_id: 't', content_item_kinds: names },
    });
    expect(
      await written([message('user', ['Stop hook said no.', 'Why?'], kinds('hooks.additional_context', 'user.text'))]),
    ).toEqual([
      ['engine', 'Stop hook said no.'],
      ['human', 'Why?'],
    ]);
    // A list of another length says nothing about any of them.
    expect(await written([message('user', ['one', 'two'], kinds('hooks.additional_context'))])).toEqual([
      ['human', 'one'],
      ['human', 'two'],
    ]);
  });

  test('a command that a person ran is theirs, its output the tool’s', async () => {
    const text =
      '<user_shell_command>\n<command>\nmake\n</command>\n<result>\nExit code: 2\nOutput:\nno rule\n</result>\n</user_shell_command>';
    const parts = await written([message('user', [text])]);
    expect(parts).toEqual([
      ['engine', '<user_shell_command>\n<command>\n'],
      ['human', 'make'],
      ['engine', '\n</command>\n<result>\n'],
      ['tool', 'Exit code: 2\nOutput:\nno rule'],
      ['engine', '\n</result>\n</user_shell_command>'],
    ]);
    expect(parts.map(([, piece]) => piece).join('')).toBe(text);
  });

  test('what the editor puts in front of a request is the client’s', async () => {
    const context = '# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\n';
    expect(await written(typed(`${context}Rename it.\n`))).toEqual([
      ['engine', context],
      ['human', 'Rename it.\n'],
    ]);
  });

  test('an image is its sender’s, the tags around it the client’s', async () => {
    const content = [
      { type: 'input_text', text: '<image name=[Image #1]>' },
      { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: '[Image #1] Too wide.' },
    ];
    const echo = event('user_message', { message: '[Image #1] Too wide.' });
    expect(await written([item({ type: 'message', role: 'user', content }), echo])).toEqual([
      ['engine', '<image name=[Image #1]>'],
      ['human', 'image'],
      ['engine', '</image>'],
      ['human', '[Image #1] Too wide.'],
    ]);
  });

  test('what a sub-agent inherited from its parent’s person stays the person’s', async () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: 'p' } } };
    const inherited = { ...message('user', ['Fix it.']), metadata: { inherited_user_message: true } };
    const { live } = await bringIn({ text: jsonl([sessionMeta({ source }), inherited, ...typed('Look there.')]) });
    const origins = live.context.items.flatMap((sent) => sent.message.parts.map(({ origin }) => origin));
    expect(origins).toEqual(['engine', 'human', 'model']);
  });

  test('a session that Codex started itself has no person in it', async () => {
    const { live } = await bringIn({
      text: jsonl([sessionMeta({ source: { subagent: 'review' } }), ...typed('Review the diff.')]),
    });
    expect(live.context.items[1]?.message.parts).toMatchObject([{ origin: 'engine' }]);
  });
});
