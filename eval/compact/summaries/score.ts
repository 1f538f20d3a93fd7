import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Attempt, createExtractiveSummarizer, createModelSummarizer, type Summarizer } from 'longhaul/engine';
import { scriptedModel } from 'longhaul/testing';
import { fidelity } from '../fidelity/index.ts';
import { namesOf } from './names.ts';

/**
 * Asks the probes of what comes of summaries that were written elsewhere, through the same acceptance and the same
 * composition as those of a model that is asked. Sessions without an answer are left out.
 */
export async function scoreSummaries({
  folder,
  out,
  isVerbose,
  isJson,
}: {
  readonly folder: string;
  readonly out: string;
  readonly isVerbose: boolean;
  readonly isJson: boolean;
}): Promise<string> {
  const outcomes: { readonly file: string; readonly strategy: string; readonly attempts: readonly Attempt[] }[] = [];
  const summarizerFor = (of: { readonly session: string; readonly budget: number }): Summarizer | undefined => {
    const { answer: file } = namesOf(of);
    if (!existsSync(join(out, file))) return undefined;
    const text = readFileSync(join(out, file), 'utf8');
    const model = scriptedModel({ script: [{ text }], name: file, window: 10_000_000 });
    const last = createExtractiveSummarizer({ worker: false });
    const made = createModelSummarizer({ models: [model], mode: 'simple', last });
    return {
      ...made,
      async summarize(input) {
        const summary = await made.summarize(input);
        outcomes.push({ file, strategy: summary.strategy ?? '', attempts: summary.attempts ?? [] });
        return summary;
      },
    };
  };
  const table = await fidelity({ folder, isVerbose, isJson, summarizerFor });
  if (isJson) return table;
  if (outcomes.length === 0) return `There is no answer in ${out}: write each into the file that its request names.`;
  const lines = outcomes.map(({ file, strategy, attempts: [first] }) => {
    const why = first?.outcome === 'accepted' ? 'taken' : `not taken: ${first?.why ?? 'no model was called'}`;
    return `- ${file}: ${why}${strategy === 'extractive' ? ' (the summary is the one without a model)' : ''}`;
  });
  return [table, '', ...lines].join('\n');
}
