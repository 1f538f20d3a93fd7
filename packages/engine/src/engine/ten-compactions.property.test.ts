import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Summarizer } from '../summarize/summarizer.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { type Story, storyOf } from './fixtures/story.ts';
import type { CompactionResult } from './types.ts';

const timeout = 3_600_000;
const pinned = 'Pinned by hand: 100 % of  the bytes,\n  also the second line. ✓';

interface Chapter {
  readonly at: number;
  readonly session: EngineSession;
  readonly result: CompactionResult;
  /** The summary that is sent after it, and all texts that are. */
  readonly summary: string;
  readonly sent: string;
  /** What was sent before it. */
  readonly before: string;
}

/** Plays a story of ten chapters, with a compaction after each where it is worth it. */
async function* play(of: { readonly story: Story; readonly window: number }): AsyncGenerator<Chapter> {
  const { session } = await begin({ summarizer: byCharacter });
  await session.pin({ text: pinned });
  const model = modelOf({ window: of.window });
  for (const [at, chapter] of of.story.chapters.entries()) {
    await session.session.appendBatch(chapter.map((message) => ({ type: 'message', message })));
    const before = JSON.stringify(session.context.items);
    const result = await session.compact({ model });
    if (!result.installed) continue;
    const summary = result.summary ?? '';
    const sent = session.context.items
      .flatMap(({ message }) => message.parts.map((part) => (part.type === 'text' ? part.text : JSON.stringify(part))))
      .join('\n');
    yield { at, session, result, summary, sent, before };
  }
}

const cases = runs(10);

/** Checks something after each of ten compactions, over many stories; tells how often there was something to check. */
async function afterEach(
  check: (chapter: Chapter & { readonly story: Story; readonly window: number }) => unknown,
): Promise<number> {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.constantFrom(12_000, 60_000), async (seed, window) => {
      const story = storyOf({ seed, chapters: 10 });
      for await (const chapter of play({ story, window })) {
        if ((await check({ ...chapter, story, window })) !== false) checked += 1;
      }
    }),
    { ...cases, endOnFailure: true },
  );
  return checked;
}

/** A property that had little to check proves nothing. */
const enough = cases.numRuns * 3;

describe('after each of ten compactions in a row', () => {
  test(
    'J3: what was pinned by hand is sent byte for byte, and so is each rule of which the record says so',
    async () => {
      const checked = await afterEach(({ sent, story, result }) => {
        expect(sent).toContain(pinned);
        const kept = result.loss?.pins.filter(({ survived }) => survived) ?? [];
        for (const { text } of kept) expect(sent).toContain(text);
        return kept.some(({ text }) => story.rules.includes(text));
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );

  test(
    'J2: nothing that a tool or a model said is a rule or a word of the user',
    async () => {
      const checked = await afterEach(({ summary, story, result }) => {
        const rules = block({ text: summary, title: 'Rules that hold, word for word:' });
        const words = block({ text: summary, title: 'What the user said:' });
        for (const lie of story.lies) {
          expect(rules).not.toContain(lie);
          expect(words).not.toContain(lie);
          expect(result.loss?.pins.map(({ text }) => text) ?? []).not.toContain(lie);
        }
        return rules !== '' && words !== '';
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );

  test(
    'J2: what is quoted of the user is what the user said, but for secrets and what is marked as left out',
    async () => {
      const checked = await afterEach(async ({ summary, session }) => {
        const quotes = block({ text: summary, title: 'What the user said:' }).split(/^- (?=@[\d.]+: )/m);
        for (const quote of quotes.filter((text) => text !== '')) {
          const [, handle = '', text = ''] = /^(@[\d.]+): (.*)$/s.exec(quote) ?? [];
          const { text: said } = await session.recall({ handle });
          const pieces = text.split(/\[secret:[0-9a-f]{6}\]|\[… [^\]]* …\]/);
          for (const piece of pieces) expect(said).toContain(piece.trim());
        }
        return quotes.length > 1;
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );

  test(
    'no secret stands in a summary, nor a piece of one',
    async () => {
      const checked = await afterEach(({ summary, story, session, result }) => {
        const reported = JSON.stringify([summary, session.context.items[0]?.message, result.loss, result.reason]);
        // What is cut may be cut in the middle of a key.
        const pieces = story.secrets.flatMap((secret) => [
          secret.slice(4, 14),
          secret.slice(14, 24),
          secret.slice(-10),
        ]);
        for (const piece of pieces) expect(reported).not.toContain(piece);
        return reported.includes('[secret:');
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );

  test(
    'J4: a finished task is never told as open, nor an open one as done',
    async () => {
      const checked = await afterEach(({ summary, story, at }) => {
        const toDo = block({ text: summary, title: 'To do:' });
        const open = `${toDo}\n${block({ text: summary, title: 'In the works:' })}`;
        const done = block({ text: summary, title: 'Done:' });
        for (const [task, chapter] of story.finished) {
          if (chapter <= at) expect(open).not.toContain(task);
          else expect(done).not.toContain(task);
        }
        return toDo !== '' && done !== '';
      });
      expect(checked).toBeGreaterThan(cases.numRuns);
    },
    timeout,
  );

  test(
    'the summary is no larger than it may be, however many came before it',
    async () => {
      const checked = await afterEach(({ summary, window, session }) => {
        const limit = window * 0.85;
        expect(summary.length).toBeLessThanOrEqual(limit / 2);
        const size = session.context.items.reduce((sum, { message }) => sum + JSON.stringify(message.parts).length, 0);
        return expect(size).toBeLessThan(limit);
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );

  test(
    'promise 5: every byte that was said is where its handle says, and undo sends exactly what was sent before',
    async () => {
      const checked = await afterEach(async ({ session, before }) => {
        const now = JSON.stringify(session.context.items);
        await session.undo();
        expect(JSON.stringify(session.context.items)).toBe(before);
        await session.redo();
        expect(JSON.stringify(session.context.items)).toBe(now);
        for (const entry of await session.session.read({ types: ['message'] })) {
          for (const [index, part] of entry.type === 'message' ? entry.message.parts.entries() : []) {
            if (part.type !== 'text' || part.text === '') continue;
            const { text } = await session.recall({ handle: { entry: entry.handle, part: index + 1 } });
            expect(text).toBe(part.text);
          }
        }
        return true;
      });
      expect(checked).toBeGreaterThan(enough);
    },
    timeout,
  );
});

test(
  'pi #2608: over ten compactions every message is either still sent or was told to whoever made the summary',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(12_000, 60_000), async (seed, window) => {
        let reported = new Set<string>();
        const summarizer: Summarizer = {
          ...byCharacter,
          summarize(input) {
            reported = new Set(input.items.map(({ id }) => id));
            return byCharacter.summarize(input);
          },
        };
        const { session } = await begin({ summarizer });
        for (const chapter of storyOf({ seed, chapters: 10 }).chapters) {
          await session.session.appendBatch(chapter.map((message) => ({ type: 'message', message })));
          const { installed } = await session.compact({ model: modelOf({ window }) });
          const sent = new Set(session.context.items.map(({ entry }) => entry));
          const all = await session.session.read({ types: ['message'] });
          if (installed) expect(all.filter(({ id }) => !reported.has(id) && !sent.has(id))).toEqual([]);
        }
      }),
      { ...cases, endOnFailure: true },
    );
  },
  timeout,
);

/** The lines after a title, up to the next title or section. */
function block({ text, title }: { readonly text: string; readonly title: string }): string {
  const lines = text.split('\n');
  const from = lines.indexOf(title);
  if (from < 0) return '';
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => line === '' || line.startsWith('… and') || /^[A-Z][\w ,]*:$/.test(line));
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}
