import { createMemoryStore } from './memory.ts';
import { describeStore } from './suite.ts';

describeStore({
  name: 'the store in memory',
  open: async () => {
    const store = createMemoryStore();
    return { store, reopen: async () => store, dispose: () => store.close() };
  },
});
