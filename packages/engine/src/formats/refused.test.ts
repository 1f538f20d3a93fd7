import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../session/store/memory.ts';
import { claudeFile, text } from './claude-code/lines.fixture.ts';
import { bringIn } from './fixtures/bring-in.ts';
import { oneTurn as codexTurn } from './fixtures/codex-file.ts';
import { oneTurn as copilotTurn } from './fixtures/copilot-file.ts';
import { geminiHeader, longTalk, person } from './fixtures/gemini-file.ts';
import { exported, talk } from './fixtures/opencode-session.ts';
import { classicRun, sdkEvents } from './fixtures/openhands-file.ts';
import { everyKind, jsonl } from './fixtures/pi-file.ts';
import { textAttempt } from './fixtures/swe-agent-file.ts';
import type { ImportFormat } from './parsed-session.ts';

const claude = claudeFile();
claude.user('Fix the build.');
claude.answer('msg_1', text('Done.'));

/** A file with a record a line of each agent. */
const lines = {
  pi: jsonl(everyKind()),
  'claude-code': jsonl(claude.lines),
  codex: jsonl(codexTurn()),
  copilot: jsonl(copilotTurn()),
  'gemini-cli': jsonl(longTalk()),
  openhands: jsonl(sdkEvents()),
} satisfies Partial<Record<ImportFormat, string>>;

/** A file of each agent that writes one JSON value. */
const documents = {
  'gemini-cli': JSON.stringify({ ...geminiHeader, messages: [person('u1', 'Hi.')] }, null, 2),
  opencode: exported(talk),
  openhands: JSON.stringify(classicRun()),
  'swe-agent': JSON.stringify(textAttempt(), null, 2),
  'tau-bench': JSON.stringify({ task_id: 1, trial: 0, reward: 0, info: {}, traj: [{ role: 'user', content: 'Hi.' }] }),
} satisfies Partial<Record<ImportFormat, string>>;

const aider = '# aider chat started at 2026-01-02 03:04:05\n\n#### Fix it.  \n\nDone.\n';
const all = [...Object.entries(lines), ...Object.entries(documents), ['aider', aider]] as [ImportFormat, string][];

/** The code and the words with which a file is refused; nothing is left of it. */
async function refusal(of: { readonly text: string | Uint8Array; readonly format?: ImportFormat }) {
  const store = createMemoryStore();
  const error = await bringIn({ ...of, store }).then(
    ({ format }) => ({ code: `imported as ${format}`, message: '' }),
    (thrown: { code: string; message: string }) => thrown,
  );
  expect(await store.list()).toEqual([]);
  return error;
}

describe.each(all)('a file of %s', (name, file) => {
  test('is what it is', async () => {
    expect((await bringIn({ text: file })).format).toBe(name);
  });

  test('is refused under another name', async () => {
    const others = new Set([...all.map(([other]) => other), 'anthropic', 'openai-chat', 'gemini'] as const);
    others.delete(name);
    for (const format of others) {
      const { code, message } = await refusal({ text: file, format });
      expect({ format, code, message }).toEqual({
        format,
        code: 'wrong-format',
        message: `This is no session of the format ${format}; it looks like ${name}.`,
      });
    }
  });

  test('is refused in another encoding', async () => {
    expect((await refusal({ text: Buffer.from(`\ufeff${file}`, 'utf16le') })).code).toBe('not-utf8');
    expect((await refusal({ text: Buffer.from(`${file}na\u00efve, as it is\n`, 'latin1') })).code).toBe('not-utf8');
  });
});

describe.each(Object.entries(documents))('a document of %s', (_, file) => {
  test('is refused wherever it breaks off', async () => {
    for (const share of [0.05, 0.3, 0.5, 0.8, 0.99]) {
      const { code } = await refusal({ text: file.slice(0, Math.floor(file.length * share)) });
      expect({ share, code }).toEqual({ share, code: 'broken-json' });
    }
  });
});

describe.each(Object.entries(lines))('lines of %s', (name, file) => {
  test('are refused with lines of another agent behind them', async () => {
    for (const [other, foreign] of Object.entries(lines)) {
      if (other === name) continue;
      expect({ other, ...(await refusal({ text: file + foreign })) }).toMatchObject({ other, code: 'mixed-formats' });
    }
  });

  test('are refused with more behind them that is no JSON at all', async () => {
    const noise = 'Dear diary.\n'.repeat(file.split('\n').length + 20);
    expect(await refusal({ text: file + noise })).toMatchObject({
      code: 'mostly-no-json',
      message: expect.stringMatching(/^\d+ lines of it are no JSON, and only \d+ are\.$/),
    });
  });
});

test('invalid JSON is distinguished from text', async () => {
  expect((await refusal({ text: '{"messages": [' })).message).toBe('It begins as JSON, and its end is missing.');
  expect((await refusal({ text: '{"a": 1,, "b": 2}' })).message).toBe('It begins as JSON, and is not valid.');
  expect((await refusal({ text: 'Dear diary.' })).code).toBe('not-a-session');
});

test('a session of which nothing can be read is refused, an empty one is not', async () => {
  const [header = ''] = lines.pi.split('\n');
  const deep = `{"type":"custom","id":"01","timestamp":"2026","data":${'['.repeat(5000)}${']'.repeat(5000)}}`;
  expect(await refusal({ text: `${header}\n${deep}\n` })).toMatchObject({
    code: 'nothing-left',
    message: 'Nothing of this pi session can be read; line 2 is the first that is damaged.',
  });
  expect((await bringIn({ text: `${header}\n` })).entries).toEqual([]);
});

test('a list in which nothing is a message is no conversation, whatever it is called', async () => {
  for (const format of ['anthropic', 'openai-chat', 'openai-responses', 'gemini', undefined] as const) {
    expect((await refusal({ text: '[{"x":1}]', ...(format && { format }) })).code).toBe('not-a-conversation');
  }
});
