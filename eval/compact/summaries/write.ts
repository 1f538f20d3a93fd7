import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createExtractiveSummarizer, type SourceItem, type Summarizer, type SummaryInput } from 'longhaul/engine';
import { modelInfo } from 'longhaul/models';
import { createTokenizer } from 'longhaul/tokens';
import { promptVersion, summaryRequest } from '../../../packages/engine/src/summarize/index.ts';
import { cutHistory } from '../fidelity/history.ts';
import { budgets, probedIn } from '../fidelity/index.ts';
import { sentIn } from '../fidelity/sent.ts';
import { namesOf } from './names.ts';

const known = ['fork', 'full', 'simple'] as const;

/**
 * Writes what a model would be asked at each probed session's cut, for each budget and strategy: the request itself, and the
 * name of the file in which its answer is looked for.
 */
export async function writePrompts({
  folder,
  out,
  strategies,
  model: name,
}: {
  readonly folder: string;
  readonly out: string;
  readonly strategies: readonly string[];
  readonly model: string;
}): Promise<string> {
  const wanted = known.filter((strategy) => strategies.includes(strategy));
  if (wanted.length === 0) return `There is no such strategy: ${strategies.join(', ')}. There are ${known.join(', ')}.`;
  const info = modelInfo({ name });
  const model = { id: { provider: info.provider ?? 'any', name }, dialect: info.dialects[0] ?? 'openai-chat', info };
  const { count } = await createTokenizer('o200k_base');
  mkdirSync(out, { recursive: true });
  const lines: string[] = [];
  for (const { session, file, cut_entry_70pct: cut } of probedIn(folder)) {
    const { items } = await cutHistory({ path: join(folder, file), cut });
    for (const budget of budgets) {
      const input = await inputAt({ items, budget, count });
      if (!input) continue;
      const names = namesOf({ session, budget });
      for (const strategy of wanted) {
        const live = liveAt({ items, input, model });
        const request = await summaryRequest({ input: { ...input, live }, strategy, model });
        const text = JSON.stringify(
          { session, budget, strategy, prompt: promptVersion, answer: names.answer, request },
          undefined,
          2,
        );
        writeFileSync(join(out, names.request(strategy)), `${text}\n`);
        lines.push(
          `${names.request(strategy)}: about ${count(JSON.stringify(request))} tokens, answer in ${names.answer}`,
        );
      }
    }
  }
  return lines.join('\n');
}

/** What a summarizer is given when a session is compacted to a budget; nothing where it fits as it is. */
async function inputAt(of: {
  readonly items: readonly SourceItem[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): Promise<SummaryInput | undefined> {
  const last = createExtractiveSummarizer({ worker: false });
  let given: SummaryInput | undefined;
  const summarizer: Summarizer = {
    ...last,
    async summarize(input) {
      given = input;
      return await last.summarize(input);
    },
  };
  await sentIn({ ...of, summarizer });
  return given;
}

function liveAt({
  items,
  input,
  model,
}: {
  readonly items: readonly SourceItem[];
  readonly input: SummaryInput;
  readonly model: NonNullable<SummaryInput['live']>['model'];
}): NonNullable<SummaryInput['live']> {
  const messages = items.map(({ message }) => message);
  return { head: [], items: messages, tools: [], model, covers: input.items.length };
}
