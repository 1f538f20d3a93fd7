import { parseArgs } from 'node:util';
import { fidelity } from './fidelity/index.ts';
import { whole } from './whole.ts';

/**
 * Compacts real sessions: asks what is left (`--part fidelity`), and looks whether what is left fits, is legal and comes
 * back by undo (`--part sessions`); both by default. `--verbose` lists what was missed, `--json` is for programs.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: {
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      part: { type: 'string' },
    },
    allowPositionals: true,
  });
  const { verbose: isVerbose, json: isJson, part } = values;
  if (part !== 'sessions') process.stdout.write(`${await fidelity({ folder, isVerbose, isJson })}\n`);
  if (part !== 'fidelity') process.stdout.write(`${await whole({ folder, isJson })}\n`);
}
