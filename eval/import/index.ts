import { parseArgs } from 'node:util';
import type { Message } from 'longhaul/message';
import { countingRules, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';
import { differencesIn } from './differences.ts';
import { listedIn } from './listed.ts';
import { type Measured, measure } from './measure.ts';
import { report } from './report.ts';

/**
 * Imports every session that the folder's `index.json` lists, each into a store of its own, and compares what is in the
 * log with what the list says is in the file. `--verbose` tells of each session, `--json` is for programs.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: { verbose: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const { count } = await createTokenizer('o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
  const countTokens = (message: Message) => total(counter.message(message));
  const measured: Measured[] = [];
  for (const listed of listedIn(folder)) {
    measured.push(await measure({ listed, countTokens }));
  }
  const text = values.json ? JSON.stringify(measured, undefined, 2) : report({ measured, isVerbose: values.verbose });
  process.stdout.write(`${text}\n`);
  const isWell = measured.every((one) => one.failure === undefined && one.refusals.length === 0);
  process.exitCode = isWell && differencesIn(measured).every(({ because }) => because !== undefined) ? 0 : 1;
}
