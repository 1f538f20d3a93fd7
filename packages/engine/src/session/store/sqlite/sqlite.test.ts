import { describeStore } from '../suite.ts';
import { temporaryFolder } from './fixtures.ts';
import { openSqliteStore } from './index.ts';

describeStore({
  name: 'the store in SQLite',
  open: async () => {
    const { dir, remove } = temporaryFolder();
    let store = await openSqliteStore({ dir });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = await openSqliteStore({ dir });
        return store;
      },
      dispose: async () => {
        await store.close();
        remove();
      },
    };
  },
});
