import { isAbsolute } from 'node:path';
import { secretVariables } from './agent/secrets-of.ts';
import { clearEnvironment } from './io/clear-environment.ts';
import { nodeIo } from './io/node-io.ts';
import { run } from './run.ts';

// `npm run longhaul` goes to the root of the clone first; paths mean what they mean where the person stands.
const { INIT_CWD: typedIn = '', npm_lifecycle_event: script } = process.env;
const fromSource = import.meta.url.endsWith('.ts') && script === 'longhaul' && isAbsolute(typedIn);
const io = nodeIo({ process, ...(fromSource && { cwd: typedIn }) });
// From here on keys are in `io.env` only: a command that the agent runs can read the environment of its parents.
clearEnvironment({ process, names: secretVariables(io.env) });

// Not process.exit: what was printed may still be on its way into a pipe.
process.exitCode = await run({ argv: process.argv.slice(2), io });
