import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import * as compat from '../compat.ts';
import type { Implementation } from './fixtures/build.ts';
import { embed, jsonOutcome, outcome } from './fixtures/compare.ts';
import { prompts, type Spec } from './fixtures/spec.arbitrary.ts';
import { additiveRuns, characters, lateCharacters, openAI, runsOfLetters } from './fixtures/tokenizers.ts';

// Not imported: both declare the globals of classic JSX.
const require = createRequire(import.meta.url);
const theirs = require('@vscode/prompt-tsx') as Implementation;
const ours = compat as unknown as Implementation;
const generous = 100_000;

/** Budgets between everything and nothing. */
async function budgetsFor(specs: readonly Spec[], tokenizer: typeof characters | typeof openAI): Promise<number[]> {
  const json = await embed({ lib: theirs, specs, tokenizer, budget: generous });
  const { tokenCount = 50 } = (await outcome({ lib: theirs, specs, json, tokenizer, budget: generous })) as {
    tokenCount?: number;
  };
  const shares = [1, 0.93, 0.8, 0.65, 0.5, 0.35, 0.2, 0.08];
  return [generous, tokenCount + 20, ...shares.map((share) => Math.floor(tokenCount * share)), tokenCount - 1, 0];
}

describe.each([
  { name: 'characters', tokenizer: characters },
  { name: 'runs of letters', tokenizer: runsOfLetters },
  { name: 'runs of letters, additive', tokenizer: additiveRuns },
  { name: 'characters, later', tokenizer: lateCharacters },
  { name: "OpenAI's form", tokenizer: openAI },
])('random prompts render like in prompt-tsx: $name', ({ tokenizer }) => {
  it('at every budget: messages, counts, metadata, references, shares, or the same error', async () => {
    await fc.assert(
      fc.asyncProperty(prompts, async (specs) => {
        const json = await embed({ lib: theirs, specs, tokenizer, budget: generous });
        for (const budget of await budgetsFor(specs, tokenizer)) {
          const expected = await outcome({ lib: theirs, specs, json, tokenizer, budget });
          const actual = await outcome({ lib: ours, specs, json, tokenizer, budget });
          expect({ budget, outcome: actual }).toEqual({ budget, outcome: expected });
        }
      }),
      { seed: 9, ...runs(120) },
    );
  });
});

describe('random prompts as JSON', () => {
  it('are serialized like in prompt-tsx', async () => {
    await fc.assert(
      fc.asyncProperty(prompts, async (specs) => {
        const tokenizer = characters;
        const json = await embed({ lib: theirs, specs, tokenizer, budget: generous });
        const job = { specs, json, tokenizer, budget: 200 };
        expect(await jsonOutcome({ lib: ours, ...job })).toEqual(await jsonOutcome({ lib: theirs, ...job }));
      }),
      { seed: 9, ...runs(120) },
    );
  });
});
