import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { answered, asked, happened, injected, oneTurn, system } from '../fixtures/copilot-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';

const read = (records: readonly JsonObject[]) => bringIn({ text: jsonl(records) });

const summary = '<overview>\nFiles were listed.\n</overview>\n<checkpoint_title>Listing files</checkpoint_title>';
const begin = happened('session.compaction_start', { conversationTokens: 900, trigger: 'threshold' });
const done = (more: JsonObject = {}) =>
  happened('session.compaction_complete', {
    success: true,
    summaryContent: summary,
    preCompactionTokens: 1000,
    preCompactionMessagesLength: 5,
    checkpointNumber: 1,
    checkpointPath: 'checkpoints/001.md',
    compactionTokensUsed: { inputTokens: 950, outputTokens: 60, cacheReadTokens: 900, model: 'claude-x' },
    ...more,
  });

const asRequest = (text: string) => expect.stringContaining(`| ${text} |`);
const asSummary = expect.stringMatching(/^user: Some of the conversation history.*Listing files.*<\/summary>$/s);

describe('a compaction', () => {
  test('is made in the background: what was added meanwhile follows the summary', async () => {
    const { sent, entries } = await read([
      ...oneTurn(),
      injected('<system_reminder>Mind.</system_reminder>', 'system'),
      begin,
      answered('Meanwhile.'),
      asked('And now?'),
      done(),
      answered('Now this.'),
    ]);
    expect(sent).toEqual([
      'system: You are Copilot.',
      asRequest('List the files.'),
      asSummary,
      'assistant: Meanwhile.',
      asRequest('And now?'),
      'assistant: Now this.',
    ]);
    const meanwhile = entries.find((entry) => entry.type === 'message' && JSON.stringify(entry).includes('Meanwhile.'));
    expect(entries.find(({ type }) => type === 'compaction')).toMatchObject({
      summary,
      firstKeptId: meanwhile?.id,
      tokensBefore: 1000,
      trigger: 'threshold',
    });
    expect(entries.find(({ type }) => type === 'checkpoint')).toMatchObject({ number: 1, title: 'Listing files' });
    expect(entries.find((entry) => entry.type === 'usage' && entry.purpose === 'compaction')).toMatchObject({
      usage: { input: 50, output: 60, cacheRead: 900 },
    });
  });

  test('that nothing was said during keeps nothing', async () => {
    const { sent } = await read([...oneTurn(), begin, done()]);
    expect(sent).toEqual(['system: You are Copilot.', asRequest('List the files.'), asSummary]);
  });

  test('whose beginning is not logged covers as many messages as it says', async () => {
    const { sent } = await read([...oneTurn(), asked('And now?'), done()]);
    expect(sent.slice(2)).toEqual([asSummary, asRequest('And now?')]);
    const { sent: none } = await read([...oneTurn(), asked('And now?'), done({ preCompactionMessagesLength: null })]);
    expect(none.slice(2)).toEqual([asRequest('And now?'), asSummary]);
  });

  test('again, quotes what was asked before the first, and sends one summary', async () => {
    const again = '<overview>More was done.</overview>';
    const { sent } = await read([
      ...oneTurn(),
      begin,
      done(),
      asked('And now?'),
      begin,
      done({ summaryContent: again }),
    ]);
    expect(sent).toEqual([
      'system: You are Copilot.',
      asRequest('List the files.'),
      asRequest('And now?'),
      expect.stringContaining('More was done.'),
    ]);
  });

  test('and a prompt that changed meanwhile: the new one is first', async () => {
    const { sent } = await read([...oneTurn(), begin, system('You are careful.'), answered('Meanwhile.'), done()]);
    expect(sent).toEqual([
      'system: You are careful.',
      asRequest('List the files.'),
      asSummary,
      'assistant: Meanwhile.',
    ]);
  });

  test('that failed changes nothing', async () => {
    const before = (await read(oneTurn())).sent;
    for (const failed of [{ success: false, error: 'empty' }, { summaryContent: '' }]) {
      const { sent, entries } = await read([...oneTurn(), begin, done(failed)]);
      expect(sent).toEqual(before);
      expect(entries.at(-1)).toMatchObject({ customType: 'copilot:session.compaction_complete' });
    }
  });
});

test('a context that was cleared begins with the prompt again', async () => {
  const { sent } = await read([
    ...oneTurn(),
    happened('session.context_cleared', { messagesCleared: 5 }),
    asked('Something else.'),
  ]);
  expect(sent).toEqual(['system: You are Copilot.', asRequest('Something else.')]);
});

describe('going back', () => {
  const at = (id: string, event: JsonObject) => ({ ...event, id });

  test('takes the event that is named, and all after it, away', async () => {
    const { sent, entries } = await read([
      ...oneTurn(),
      at('here', asked('A wrong turn.')),
      happened('session.model_change', { newModel: 'other-x' }),
      answered('Wrong.'),
      happened('session.snapshot_rewind', { upToEventId: 'here', eventsRemoved: 3 }),
      asked('The right one.'),
      happened('session.model_change', { newModel: 'other-x' }),
    ]);
    expect(sent.slice(-2)).toEqual(['assistant: One file.', asRequest('The right one.')]);
    expect(entries.find((entry) => entry.type === 'leaf')).toMatchObject({ reason: 'rewind' });
    // What was chosen on the way that never was has to be chosen again.
    expect(entries.filter((entry) => entry.type === 'model_change')).toHaveLength(3);
  });

  test('to a missing event is reported, and changes nothing', async () => {
    const { sent, codes } = await read([
      ...oneTurn(),
      happened('session.snapshot_rewind', { upToEventId: 'nowhere', eventsRemoved: 3 }),
    ]);
    expect(sent).toEqual((await read(oneTurn())).sent);
    expect(codes).toContain('missing-event');
  });
});
