import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LonghaulError } from '../../../errors.ts';
import type { JsonObject } from '../../../json.ts';
import { runs } from '../../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
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

const strange = fc.oneof(
  fc.constantFrom<unknown>(null, '', 0, -1, true, [], {}, [null], '__proto__', { type: 'tool_result' }, 'msg_1'),
  fc.integer({ min: 1, max: 14 }).map(uuid),
  fc.jsonValue(),
);

/** What becomes of a file by accident: lines lost, doubled, moved, and members of any value anywhere. */
const damaged = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'double', 'move', 'set', 'delete'), fc.nat(), fc.nat(), strange), {
    minLength: 1,
    maxLength: 8,
  })
  .map((accidents) => {
    const lines = structuredClone(everyKind()) as Record<string, unknown>[];
    for (const [at, what, to, member, value] of accidents) {
      const index = at % Math.max(1, lines.length);
      const line = lines[index];
      if (!line) continue;
      if (what === 'drop') lines.splice(index, 1);
      else if (what === 'double') lines.splice(to % lines.length, 0, line);
      else if (what === 'move') lines.splice(to % lines.length, 0, ...lines.splice(index, 1));
      else alter({ value: line, member, to: what === 'set' ? value : undefined });
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  });

/** Sets or deletes the `member`th of all members of a value and of what is in it. */
function alter({ value, member, to }: { readonly value: object; readonly member: number; readonly to: unknown }): void {
  const all: [Record<string, unknown>, string][] = [];
  const walk = (object: object) => {
    for (const [key, inner] of Object.entries(object)) {
      all.push([object as Record<string, unknown>, key]);
      if (typeof inner === 'object' && inner !== null) walk(inner);
    }
  };
  walk(value);
  const [holder, key] = all[member % Math.max(1, all.length)] ?? [];
  if (holder && key !== undefined) holder[key] = to;
}

test('a damaged file is a session that is the same each time, or is refused in a sentence', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async (file) => {
      try {
        const { store, session, entries } = await bringIn({ text: file });
        expect(await bringIn({ text: file, store })).toMatchObject({ added: 0, session, entries });
      } catch (error) {
        expect(error).toBeInstanceOf(LonghaulError);
      }
    }),
    runs(300),
  );
});

test('a damaged file that grows, line by line, ends as what it is at once', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, fc.nat(), async (file, cut) => {
      const lines = file.split(/(?<=\n)/);
      const half = lines.slice(0, cut % Math.max(1, lines.length)).join('');
      try {
        const whole = await bringIn({ text: file });
        const part = await bringIn({ text: half });
        const grown = await bringIn({ text: file, store: part.store });
        expect({ session: grown.session, sent: grown.sent }).toEqual({ session: whole.session, sent: whole.sent });
      } catch (error) {
        expect(error).toBeInstanceOf(LonghaulError);
      }
    }),
    runs(200),
  );
});
