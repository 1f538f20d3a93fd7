import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../json.ts';
import type { Part } from '../../message/index.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { claudeFile, text } from './lines.fixture.ts';

/** Who says what, in a file that was made by `write`. */
async function heard(write: (file: ReturnType<typeof claudeFile>) => void): Promise<string[]> {
  const file = claudeFile();
  write(file);
  const { live } = await bringIn({ text: file.text() });
  return live.context.items.flatMap(({ message }) => message.parts.map(reported));
}

const reported = (part: Part) => `${part.origin}: ${part.type === 'text' ? part.text : part.type}`;
const said = (content: Json, more: JsonObject = {}) => heard((file) => file.user(content, more));

describe('who wrote a text of the user’s role', () => {
  test('a person, where nothing says otherwise', async () => {
    expect(await said('Fix <Button> in a.tsx.')).toEqual(['human: Fix <Button> in a.tsx.']);
    expect(
      await said([
        text('See this.'),
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      ]),
    ).toEqual(['human: See this.', 'human: image']);
  });

  test('the client, on lines it marks as its own', async () => {
    expect(await said('Base directory of this skill: /x', { isMeta: true })).toEqual([
      'engine: Base directory of this skill: /x',
    ]);
    expect(await said('Agent a1 is done.', { origin: { kind: 'task-notification' } })).toEqual([
      'engine: Agent a1 is done.',
    ]);
    expect(await said('Go on.', { origin: { kind: 'human' }, promptSource: 'typed' })).toEqual(['human: Go on.']);
    expect(await said('Wake up.', { promptSource: 'system' })).toEqual(['engine: Wake up.']);
  });

  test('the client, in tags and openings of its own', async () => {
    const texts = [
      '<system-reminder>Be brief.</system-reminder>',
      '<task-notification>\n<task-id>b1</task-id>\n</task-notification>',
      '<local-command-caveat>Caveat: …</local-command-caveat>',
      '[Request interrupted by user for tool use]',
      '<user-prompt-submit-hook>Mind the tests.</user-prompt-submit-hook>',
    ];
    for (const words of texts) expect(await said(words)).toEqual([`engine: ${words}`]);
    expect(await said('<local-command-stdout>Bye!</local-command-stdout>')).toEqual([
      'engine: <local-command-stdout>Bye!</local-command-stdout>',
    ]);
  });

  test('a person and the client in one text have a part each, which together are the text', async () => {
    expect(
      await said('<ide_opened_file>a.ts</ide_opened_file>\nFix it.\n\n<system-reminder>Be brief.</system-reminder>'),
    ).toEqual([
      'engine: <ide_opened_file>a.ts</ide_opened_file>',
      'human: \nFix it.\n\n',
      'engine: <system-reminder>Be brief.</system-reminder>',
    ]);
  });

  test('what follows a slash command is a person’s; a command without more is the client’s', async () => {
    const command = '<command-name>/review</command-name>\n  <command-message>review</command-message>\n  ';
    expect(await said(`${command}<command-args>only the tests</command-args>`)).toEqual([
      `engine: ${command}<command-args>`,
      'human: only the tests',
      'engine: </command-args>',
    ]);
    expect(await said(`${command}<command-args></command-args>`)).toEqual([
      `engine: ${command}<command-args></command-args>`,
    ]);
  });

  test('a command typed behind ! is a person’s, its output the tool’s', async () => {
    const lines = await heard((file) => {
      file.user('<bash-input>make test</bash-input>');
      file.user('<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>');
    });
    expect(lines).toEqual([
      'engine: <bash-input>',
      'human: make test',
      'engine: </bash-input>',
      'tool: <bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>',
    ]);
  });

  test('a local command that newer versions write as a line of the system', async () => {
    const lines = await heard((file) => {
      file.system('local_command', { content: '<command-name>/model</command-name><command-args>opus</command-args>' });
      file.system('local_command', { content: '<local-command-stdout>Set model to opus</local-command-stdout>' });
    });
    expect(lines).toEqual([
      'engine: <command-name>/model</command-name><command-args>',
      'human: opus',
      'engine: </command-args>',
      'engine: <local-command-stdout>Set model to opus</local-command-stdout>',
    ]);
  });

  test('text that only the screen shows is a note', async () => {
    expect(await said('Shown only.', { isVisibleInTranscriptOnly: true })).toEqual([]);
  });

  test('a text of nothing but openings is read in no time, and is a person’s', async () => {
    const words = '<system-reminder><bash-input><task-notification>'.repeat(20_000);
    expect(await said(words)).toEqual([`human: ${words}`]);
  });
});

describe('attachments', () => {
  const attached = (attachment: JsonObject, more: JsonObject = {}) =>
    heard((file) => file.attachment(attachment, more));

  test('a prompt that was typed while the model worked is a person’s message', async () => {
    expect(await attached({ type: 'queued_command', prompt: 'And the docs.', commandMode: 'prompt' })).toEqual([
      'human: And the docs.',
    ]);
    expect(await attached({ type: 'queued_command', prompt: [text('And the docs.')] })).toEqual([
      'human: And the docs.',
    ]);
    const rendered = [{ content: '<system-reminder>The user said:\nAnd the docs.\n\nMind it.</system-reminder>' }];
    expect(await attached({ type: 'queued_command', prompt: 'And the docs.' }, { rendered })).toEqual([
      'engine: <system-reminder>The user said:\n',
      'human: And the docs.',
      'engine: \n\nMind it.</system-reminder>',
    ]);
  });

  test('a queued notification is the client’s', async () => {
    const prompt = 'Task b1 has ended.';
    expect(await attached({ type: 'queued_command', prompt, commandMode: 'task-notification' })).toEqual([
      `engine: ${prompt}`,
    ]);
    expect(await attached({ type: 'queued_command', prompt, origin: { kind: 'peer' } })).toEqual([`engine: ${prompt}`]);
  });

  test('are seen as newer versions say they sent them', async () => {
    const rendered = [{ content: '<system-reminder>Plan mode is on.</system-reminder>' }];
    expect(await attached({ type: 'plan_mode', planFilePath: '/plan.md' }, { rendered, renderedRole: 'user' })).toEqual(
      ['engine: <system-reminder>Plan mode is on.</system-reminder>'],
    );
  });

  test.each<[JsonObject, string[]]>([
    [{ type: 'skill_listing', content: '- review' }, ['engine: - review']],
    [{ type: 'hook_additional_context', content: ['one', 'two'] }, ['engine: one\ntwo']],
    [{ type: 'hook_success', hookEvent: 'SessionStart', content: 'hello' }, ['engine: hello']],
    [{ type: 'hook_success', hookEvent: 'PostToolUse', content: 'hello' }, []],
    [
      { type: 'instructions', files: [{ path: '/CLAUDE.md', content: 'Use tabs.' }] },
      ['engine: /CLAUDE.md:', 'engine: Use tabs.'],
    ],
    [
      { type: 'invoked_skills', skills: [{ name: 's', path: '/s.md', content: 'Do it.' }] },
      ['engine: /s.md:', 'engine: Do it.'],
    ],
    [{ type: 'edited_text_file', filename: '/a.ts', snippet: '1 let a;' }, ['engine: /a.ts:', 'tool: 1 let a;']],
    [{ type: 'file', filename: '/a.ts', content: { file: { content: 'let a;' } } }, ['engine: /a.ts:', 'tool: let a;']],
    [{ type: 'plan_file_reference', planFilePath: '/p.md', planContent: 'Plan.' }, ['engine: /p.md:', 'engine: Plan.']],
    [{ type: 'deferred_tools_delta', addedLines: ['- a', '- b'] }, ['engine: - a\n- b']],
    [{ type: 'task_reminder', content: [], itemCount: 0 }, []],
    [{ type: 'toString' }, []],
  ])('of older versions are seen by their content: %o', async (attachment, parts) => {
    expect(await attached(attachment)).toEqual(parts);
  });

  test('without readable text are kept unchanged', async () => {
    const file = claudeFile();
    file.attachment({ type: 'task_reminder', content: [{ subject: 'Test it', status: 'pending' }], itemCount: 1 });
    const { entries } = await bringIn({ text: file.text() });
    expect(entries).toMatchObject([
      {
        type: 'custom',
        customType: 'claude-code:attachment:task_reminder',
        data: { content: [{ subject: 'Test it', status: 'pending' }], itemCount: 1 },
      },
    ]);
  });
});
