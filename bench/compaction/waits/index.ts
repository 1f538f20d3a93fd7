import { presets } from 'longhaul/engine';
import { createTokenizer } from 'longhaul/tokens';
import { type Played, play } from './play.ts';

const rounds = 2_000;
const window = 64_000;

/** How often and how long anybody waits for a model that summarizes, with each preset, in the same long session. */
export async function waits(): Promise<void> {
  const { count } = await createTokenizer('o200k_base');
  console.log(
    `\nwaiting for a model that summarizes: ${rounds} requests in a window of ${window} tokens, 1 to 60 s a summary; bar: none with longhaul\n`,
  );
  console.log('preset     requests   waited   seconds   longest   compactions   by a model   epochs   M sent   M anew');
  for (const policy of Object.values(presets)) console.log(lineOf(await play({ policy, rounds, window, count })));
}

function lineOf({ preset, requests, waits: all, compactions, worded, epochs, sent, anew }: Played): string {
  const seconds = (ms: number) => (ms / 1_000).toFixed(0);
  return [
    preset.padEnd(8),
    String(requests).padStart(10),
    String(all.length).padStart(8),
    seconds(all.reduce((sum, ms) => sum + ms, 0)).padStart(9),
    seconds(Math.max(0, ...all)).padStart(9),
    String(compactions).padStart(13),
    String(worded).padStart(12),
    String(epochs).padStart(8),
    (sent / 1e6).toFixed(1).padStart(8),
    (anew / 1e6).toFixed(2).padStart(8),
  ].join(' ');
}
