/** Loaded before the command: the process gets a signal, `kill -9` by default, when it is about to rename. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

fs.promises.rename = () => {
  process.kill(process.pid, process.env.END_WITH ?? 'SIGKILL');
  // Nothing else would keep the process alive until a signal with a listener arrives.
  setTimeout(() => undefined, 5000);
  return new Promise(() => undefined);
};
syncBuiltinESMExports();
