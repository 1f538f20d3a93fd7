import fc from 'fast-check';
import { test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { expectGrown, expectSound, harmed, torn } from '../fixtures/harm.ts';
import { call, claudeFile, text, thinking, uuid } from './lines.fixture.ts';

/** A line of each kind. */
function everyKind(): readonly JsonObject[] {
  const file = claudeFile();
  file.user('one <system-reminder>x</system-reminder>');
  file.answer('msg_1', thinking('I look.'));
  file.answer('msg_1', call('toolu_1', { prompt: 'Search.' }, 'Task'));
  file.user('Search.', { isSidechain: true, parentUuid: null });
  file.answer('msg_a', text('Found.'), { isSidechain: true });
  file.result('toolu_1', 'r1', { parentUuid: uuid(3) });
  file.attachment({ type: 'queued_command', prompt: 'two' });
  file.answer('msg_2', text('done'));
  file.system('turn_duration');
  file.boundary({ preservedSegment: { headUuid: uuid(8), anchorUuid: uuid(11), tailUuid: uuid(8) } });
  file.summary('Summary.');
  file.state({ type: 'ai-title', aiTitle: 'One', sessionId: 's' });
  file.user('three', { parentUuid: uuid(8) });
  file.line({ type: 'dream' });
  return file.lines;
}

const file = everyKind();

test('a file that harm was done to is read into a sound log or refused', async () => {
  await fc.assert(fc.asyncProperty(fc.oneof(harmed(file), torn(file)), expectSound), runs(300));
});

test('such a file that grows, line by line, ends as what it is at once', async () => {
  await fc.assert(
    fc.asyncProperty(harmed(file), fc.nat(), (text, lines) => expectGrown({ text, lines })),
    runs(200),
  );
});
