/** Appends its share to a session with other writers, and prints the number of conflicts. */

import { ConflictError } from '../../errors.ts';
import { openSqliteStore } from '../index.ts';
import { session } from './log.ts';

const [dir = '', name = '', share = ''] = process.argv.slice(2);
const store = await openSqliteStore({ dir });
let head = await store.head(session);
let conflicts = 0;

for (let number = 1; number <= Number(share); ) {
  const handle = head.last + 1;
  const id = `${name}-${number}`;
  try {
    head = await store.append({
      session,
      expect: head.last,
      entries: [
        { v: 1, id, parentId: head.leaf, handle, at: 0, epoch: null, type: 'custom', customType: name, data: number },
      ],
      leaf: id,
      epoch: null,
    });
    number += 1;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    conflicts += 1;
    head = error.head;
  }
}
process.stdout.write(`${JSON.stringify({ name, conflicts })}\n`);
await store.close();
