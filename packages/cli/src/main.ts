import { nodeIo } from './io/node-io.ts';
import { run } from './run.ts';

// Not process.exit: what was printed may still be on its way into a pipe.
process.exitCode = await run({ argv: process.argv.slice(2), io: nodeIo({ process }) });
