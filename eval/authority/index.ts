import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { narrativeOf, reviewNarrative, type SourceItem } from 'longhaul/engine';
import { cutHistory } from '../compact/fidelity/history.ts';
import { probedIn } from '../compact/fidelity/index.ts';

/**
 * How much of honest summaries is left out: each `NAME.md` of the folder is the answer of a model to a summary prompt. Where
 * `probes.json` next to the folder knows a session of that name, what people said in it may be quoted. Prints every sentence
 * that is dropped and fails above 2 %.
 */
export async function run(folder: string): Promise<void> {
  const probes = dirname(join(folder, '.'));
  const sessions = existsSync(join(probes, 'probes.json')) ? probedIn(probes) : [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
  let [all, lost] = [0, 0];
  for (const file of files) {
    const probed = sessions.find(({ session }) => session === basename(file, '.md'));
    const items = probed
      ? (await cutHistory({ path: join(probes, probed.file), cut: probed.cut_entry_70pct })).items
      : [];
    const narrative = narrativeOf(readFileSync(join(folder, file), 'utf8'));
    const { sentences, dropped } = reviewNarrative({ narrative, said: humanTexts(items) });
    console.log(`${file}: ${dropped.length} of ${sentences} sentences dropped${probed ? '' : ' (session unknown)'}`);
    for (const { section, why, sentence } of dropped) console.log(`  ${section}, ${why}: ${sentence}`);
    all += sentences;
    lost += dropped.length;
  }
  const share = all === 0 ? 0 : lost / all;
  console.log(`all: ${lost} of ${all} sentences dropped, ${(share * 100).toFixed(2)} % (at most 2 %)`);
  if (share > 0.02) process.exitCode = 1;
}

function humanTexts(items: readonly SourceItem[]): string[] {
  return items.flatMap(({ message }) =>
    message.parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])),
  );
}
