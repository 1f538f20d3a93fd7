import { parseArgs } from 'node:util';
import { fidelity } from './fidelity/index.ts';
import { scoreSummaries } from './summaries/score.ts';
import { writePrompts } from './summaries/write.ts';
import { userOutcomes } from './user/index.ts';
import { report, rulesReport } from './user/report.ts';
import { whole } from './whole.ts';

/**
 * Compacts real sessions and measures what is left, in parts; all of them unless `--part` names one. `--verbose` lists
 * what was missed, `--json` is for programs.
 *
 * - `user`: facts, rules and continuity as a user gets them from the command, for each `--windows` (64000,128000)
 * - `rules`: the rules of the same contexts, by authority
 * - `fidelity`: facts in a plain room of so many tokens, without head and window
 * - `sessions`: whether what is left fits, is legal and comes back by undo
 *
 * `--write-prompts OUT` writes what a model would be asked for each probed session (`--strategies simple,full,fork`, `--model
 * NAME`), and `--summaries OUT` asks the probes of what comes of the answers that were put there.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: {
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      part: { type: 'string' },
      windows: { type: 'string', default: '64000,128000' },
      'write-prompts': { type: 'string' },
      summaries: { type: 'string' },
      strategies: { type: 'string', default: 'simple' },
      model: { type: 'string', default: 'claude-sonnet-4-5' },
    },
    allowPositionals: true,
  });
  const { verbose: isVerbose, json: isJson, part, strategies, model, summaries, 'write-prompts': prompts } = values;
  if (prompts !== undefined) {
    return void process.stdout.write(
      `${await writePrompts({ folder, out: prompts, strategies: strategies.split(','), model })}\n`,
    );
  }
  if (summaries !== undefined) {
    return void process.stdout.write(`${await scoreSummaries({ folder, out: summaries, isVerbose, isJson })}\n`);
  }
  const isWanted = (name: string) => part === undefined || part === name;
  const windows = values.windows.split(',').map(Number);
  const print = (text: string) => void process.stdout.write(`${text}\n\n`);
  if (isWanted('user') || part === 'rules') {
    const outcomes = await userOutcomes({ folder, windows });
    if (isJson) print(JSON.stringify(outcomes, undefined, 2));
    else {
      if (part !== 'rules') print(report({ outcomes, isVerbose }));
      print(rulesReport({ outcomes, isVerbose }));
    }
  }
  if (isWanted('fidelity')) print(await fidelity({ folder, isVerbose, isJson }));
  if (isWanted('sessions')) print(await whole({ folder, isJson }));
}
