import { parseArgs } from 'node:util';
import { fidelity } from './fidelity/index.ts';
import { scoreSummaries } from './summaries/score.ts';
import { writePrompts } from './summaries/write.ts';
import { whole } from './whole.ts';

/**
 * Compacts real sessions: asks what is left (`--part fidelity`), and looks whether what is left fits, is legal and comes
 * back by undo (`--part sessions`); both by default. `--verbose` lists what was missed, `--json` is for programs.
 *
 * `--write-prompts OUT` writes what a model would be asked for each probed session (`--rungs simple,full,fork`, `--model
 * NAME`), and `--summaries OUT` asks the probes of what comes of the answers that were put there.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({
    options: {
      verbose: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      part: { type: 'string' },
      'write-prompts': { type: 'string' },
      summaries: { type: 'string' },
      rungs: { type: 'string', default: 'simple' },
      model: { type: 'string', default: 'claude-sonnet-4-5' },
    },
    allowPositionals: true,
  });
  const { verbose: isVerbose, json: isJson, part, rungs, model, summaries, 'write-prompts': prompts } = values;
  if (prompts !== undefined) {
    return void process.stdout.write(
      `${await writePrompts({ folder, out: prompts, rungs: rungs.split(','), model })}\n`,
    );
  }
  if (summaries !== undefined) {
    return void process.stdout.write(`${await scoreSummaries({ folder, out: summaries, isVerbose, isJson })}\n`);
  }
  if (part !== 'sessions') process.stdout.write(`${await fidelity({ folder, isVerbose, isJson })}\n`);
  if (part !== 'fidelity') process.stdout.write(`${await whole({ folder, isJson })}\n`);
}
