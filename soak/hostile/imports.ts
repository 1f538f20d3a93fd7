import { LonghaulError } from 'longhaul';
import { exportSession, importSession } from 'longhaul/formats';
import type { SessionId, Store } from 'longhaul/session';
import { createRandom } from 'longhaul/testing';
import { begin, modelOf } from '../../packages/engine/src/engine/fixtures/engine.ts';
import { say } from '../../packages/engine/src/engine/fixtures/messages.ts';
import { inPieces } from '../../packages/engine/src/formats/fixtures/bring-in.ts';
import { isPlausible } from '../../packages/engine/src/session/entry/plausible.ts';
import { directCall, temporaryFolder } from '../../packages/engine/src/session/store/sqlite/fixtures.ts';
import { SqliteStore } from '../../packages/engine/src/session/store/sqlite/store.ts';
import type { RunHostile } from './hostile-class.ts';
import { hostileFile } from './import-files.ts';

const now = Date.UTC(2030, 0);
const limits = { lineBytes: 500_000, fileBytes: 2_000_000 };
const before = 'before';

/**
 * Session files of every format that someone has tampered with: an import succeeds with sessions that are listed with times
 * that can be true, shown and prepared, or is refused in one sentence and leaves nothing in the store.
 */
export const hostileImports: RunHostile = async ({ seed, count }) => {
  const findings: string[] = [];
  let refused = 0;
  for (let number = 0; number < count; number += 1) {
    const file = hostileFile(createRandom(seed * 1_000_003 + number));
    const folder = temporaryFolder();
    const store = new SqliteStore({ dir: folder.dir, call: directCall({ dir: folder.dir }) });
    try {
      const outcome = await attack({ store, file });
      if (outcome === 'refused') refused += 1;
      else if (outcome !== 'imported') findings.push(`case ${number}: ${outcome}: ${file.slice(0, 2_000)}`);
    } catch (error) {
      findings.push(`case ${number}: ${error}: ${file.slice(0, 2_000)}`);
    } finally {
      await store.close();
      folder.remove();
    }
  }
  return { cases: count, findings, notes: [`${refused} of ${count} files were refused, the others were imported`] };
};

async function attack({ store, file }: { readonly store: Store; readonly file: string }): Promise<string> {
  await store.create({ header: { v: 1, id: before, createdAt: now } });
  const bytes = new TextEncoder().encode(file);
  try {
    await importSession({ store, open: () => inPieces({ bytes, chunk: 65_536 }), limits, now: () => now });
  } catch (error) {
    if (!LonghaulError.is(error)) return `it threw ${error}`;
    if (error.message.includes('\n') || !error.message.endsWith('.'))
      return `the refusal is no sentence: ${error.message}`;
    const left = (await store.list()).filter(({ header }) => header.id !== before);
    return left.length === 0 ? 'refused' : `a refused import left ${left.length} sessions (${error.code})`;
  }
  for (const { header, updatedAt } of await store.list()) {
    const absurd = [header.createdAt, updatedAt].find((at) => !isPlausible({ at, now }));
    if (absurd !== undefined) return `a session has the time ${absurd}`;
    if (header.id !== before) await use({ store, id: header.id });
  }
  return 'imported';
}

/** Shows a session, exports it as our own format, and prepares a request. */
async function use({ store, id }: { readonly store: Store; readonly id: SessionId }): Promise<void> {
  for (const format of ['markdown', 'longhaul'] as const) {
    const { text } = await exportSession({ store, session: id, format });
    for await (const _ of text);
  }
  const { session } = await begin({ store, id });
  const prepared = await session.prepare({ model: modelOf({ window: 400_000 }), turn: { messages: [say('Hello.')] } });
  if (prepared.items.length === 0) throw new Error('the list is empty');
}
