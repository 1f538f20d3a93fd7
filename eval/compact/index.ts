import { parseArgs } from 'node:util';
import { fidelity } from './fidelity/index.ts';

/** Compacts real sessions and asks what is left. `--verbose` lists what was missed, `--json` is for programs. */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: { verbose: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  process.stdout.write(`${await fidelity({ folder, isVerbose: values.verbose, isJson: values.json })}\n`);
}
