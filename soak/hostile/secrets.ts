import { createMask } from 'longhaul/engine';
import { createRandom } from 'longhaul/testing';
import { secretCorpus } from '../../packages/engine/src/analysis/secrets/corpus.fixture.ts';
import type { RunHostile } from './hostile-class.ts';

/** Secrets in every shape of the corpus; a case is one text. */
export const hostileSecrets: RunHostile = async ({ seed, count }) => {
  const mask = createMask();
  const findings: string[] = [];
  let cases = 0;
  for (let round = 0; cases < count; round += 1) {
    const corpus = secretCorpus({ random: createRandom(seed + round) });
    const start = cases === 0 && count < corpus.length ? seed % (corpus.length - count) : 0;
    for (const { name, text, cores } of corpus.slice(start, start + count - cases)) {
      cases += 1;
      const masked = mask(text);
      if (cores.some((core) => masked.includes(core))) findings.push(`seed ${seed + round}: not masked: ${name}`);
      if (mask(masked) !== masked) findings.push(`seed ${seed + round}: masking twice changes: ${name}`);
    }
  }
  return { cases, findings };
};
