import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntryId } from '../../session/index.ts';
import { createRandom } from '../../testing/random.ts';
import { runs } from '../../testing/runs.ts';
import type { EngineSession } from '../engine-session.ts';
import { append, sentText } from '../fixtures/branch.ts';
import { byCharacter } from '../fixtures/by-character.ts';
import { begin, modelOf } from '../fixtures/engine.ts';
import { storyOf } from '../fixtures/story.ts';
import { branchBudget } from './branch-summary.ts';

/** After any sequence of messages and moves, what is left stays in the tree, and its summary is bounded and masked. */
test('moves with summaries lose nothing, stay within their budget, and tell no secret', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.integer({ min: 8_000, max: 60_000 }), async (seed, window) => {
      const random = createRandom(seed);
      const { session } = await begin({ summarizer: byCharacter });
      const story = storyOf({ seed, chapters: 4 });
      const model = modelOf({ window });
      for (const chapter of story.chapters) {
        await append(session, chapter);
        if (random.chance(0.3)) await session.undo().catch(() => undefined);
        const places = await placesOf(session);
        const to = random.chance(0.1) ? null : (places[random.int(0, places.length - 1)] ?? null);
        const from = session.session.head.leaf;
        const before = (await session.session.read({ after: 0 })).length;
        const {
          branch: reported,
          summary,
          leaf,
          moved,
        } = await session.move({ to, summarize: random.chance(0.8), model });
        expect(session.session.head.leaf).toBe(leaf);
        expect(session.context.problems).toEqual([]);
        const log = await session.session.read({ after: 0 });
        expect(log.length - before).toBe((moved ? 1 : 0) + (summary ? 1 : 0));
        if (!reported || !summary) continue;
        expect(summary.fromId).toBe(from);
        expect(reported.text.length).toBeLessThanOrEqual(branchBudget({ window }).summary + 2);
        for (const secret of story.secrets) expect(JSON.stringify(summary)).not.toContain(secret);
        expect(sentText(session).match(/<\/summary>/g)?.length ?? 0).toBe(
          sentText(session).match(/<summary>/g)?.length ?? 0,
        );
      }
    }),
    runs(40),
  );
});

async function placesOf({ session }: EngineSession): Promise<EntryId[]> {
  const { byId } = await session.tree();
  return [...byId.values()].flatMap(({ id, type }) => (type === 'message' || type === 'branch_summary' ? [id] : []));
}
