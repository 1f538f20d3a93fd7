import { isAbsolute } from 'node:path';
import { secretVariables } from './agent/secrets-of.ts';
import { clearEnvironment } from './io/clear-environment.ts';
import { nodeIo } from './io/node-io.ts';
import { run } from './run.ts';

// `npm run longhaul` changes to the root of this repository first; paths are relative to the caller's folder.
const { INIT_CWD: typedIn = '', npm_lifecycle_event: script, npm_package_name: project } = process.env;
const isOurs = import.meta.url.endsWith('.ts') || project === 'longhaul-workspace';
const io = nodeIo({ process, ...(isOurs && script === 'longhaul' && isAbsolute(typedIn) && { cwd: typedIn }) });
// From here on keys are only in `io.env`: a command of the agent can read the environment of its parents.
clearEnvironment({ process, names: secretVariables(io.env) });

// Not process.exit: output may still be on its way into a pipe. Not `await`: chunks that are loaded later import this one.
void run({ argv: process.argv.slice(2), io }).then((code) => {
  process.exitCode = code;
});
