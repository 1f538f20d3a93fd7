import { expect, test } from 'vitest';
import { createModelSummarizer } from '../../summarize/model/model-summarizer.ts';
import { type ScriptedAnswer, scriptedModel } from '../../testing/index.ts';
import { branched, sentText } from '../fixtures/branch.ts';
import { byCharacter } from '../fixtures/by-character.ts';

const good = '<summary><title>The cache</title>\n## Overview\nThe cache was tried, and it was slower.</summary>';

async function movedBy(...script: readonly ScriptedAnswer[]) {
  const model = scriptedModel({ script, name: 'claude-opus-5' });
  const options = { count: (text: string) => text.length, random: () => 0, last: byCharacter };
  const { session, answered } = await branched({ summarizer: createModelSummarizer({ models: [model], ...options }) });
  const result = await session.move({ to: answered.id, summarize: true, focus: 'the cache' });
  return { session, model, ...result };
}

test('a model tells a branch in its words, and the engine what is certain', async () => {
  const { branch: reported, session, model, summary } = await movedBy({ text: good });
  expect(reported?.strategy).toBe('full');
  expect(reported?.text).toContain('The cache was tried, and it was slower.');
  expect(reported?.text).toContain('- Never touch src/table.ts. (@3.1:1-1)');
  expect(reported?.text).toContain('src/parser.ts');
  expect(summary?.details).toMatchObject({ title: 'The cache', attempts: [{ rung: 'full', outcome: 'accepted' }] });
  expect(sentText(session).match(/came back from another branch/g)).toHaveLength(1);
  const asked = JSON.stringify(model.requests[0]);
  // What came of it is read, too: pi shows the model calls without results (sessions.md 7.3).
  expect(asked).toContain('no such file');
  expect(asked).toContain('the cache');
});

test('a model that says nothing, calls tools or is cut off leaves it to the one that needs none, with an account', async () => {
  const bad: ScriptedAnswer[] = [
    { text: '' },
    { toolCalls: [{ name: 'bash' }] },
    { text: '<summary>half', reason: 'length' },
  ];
  const { branch: reported, summary, moved } = await movedBy(...Array.from({ length: 8 }, () => bad).flat());
  expect(moved).toBe(true);
  expect(reported?.strategy).toBe('extractive');
  expect(reported?.text).toContain('912 ms instead of 640 ms');
  const attempts = JSON.stringify(summary?.details);
  expect(attempts).toContain('"outcome":"empty"');
  expect(attempts).not.toContain('accepted');
});
