/** Loaded before the command: the process dies, as by `kill -9`, when it is about to rename a file. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

fs.promises.rename = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
};
syncBuiltinESMExports();
