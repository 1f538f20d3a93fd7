/** Appends until it is killed, and prints each acknowledged entry. */
import { openSqliteStore } from '../index.ts';
import { entryAt, idAt, session } from './log.ts';

const [dir = ''] = process.argv.slice(2);
const store = await openSqliteStore({ dir });
if (!(await store.header(session))) await store.create({ header: { v: 1, id: session, createdAt: 0 } });
let { last } = await store.head(session);
process.stdout.write(`opened ${last}\n`);

for (;;) {
  // Several appends on their way at once, so that commits hold more than one.
  const appends = [1, 3, 1, 2].map((count) => {
    const expect = last;
    last += count;
    const entries = Array.from({ length: count }, (_, index) => entryAt(expect + 1 + index));
    return store.append({ session, expect, entries, leaf: idAt(last), epoch: null }).then((head) => {
      process.stdout.write(`kept ${head.last}\n`);
    });
  });
  await Promise.all(appends);
}
