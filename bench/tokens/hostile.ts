import { createTokenizer, type Encoding } from 'longhaul/tokens';
import { createRandom } from '../../packages/engine/src/tokens/fixtures/texts.ts';
import { cpuOf, median, table } from './measure.ts';

const random = createRandom(1);

function letters(length: number): string {
  const parts: string[] = [];
  for (let i = 0; i < length; i++) parts.push(random.pick('abcdefghijklmnopqrstuvwxyz'));
  return parts.join('');
}

/** Text of about `bytes` bytes that is one piece, or as good as one, to the split pattern. */
const makers: Record<string, (bytes: number) => string> = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  spaces: (bytes) => ' '.repeat(bytes),
  newlines: (bytes) => '\n'.repeat(bytes),
  emoji: (bytes) => '😀'.repeat(bytes / 4),
  'one CJK character': (bytes) => '中'.repeat(bytes / 3),
  'CJK characters': (bytes) =>
    Array.from({ length: bytes / 3 }, () => String.fromCharCode(0x4e00 + random.below(6_000))).join(''),
  'random letters': letters,
  'capitals, then one small letter': (bytes) => `${'A'.repeat(bytes - 1)}a`,
  'combining marks': (bytes) => `e${'\u0301'.repeat(bytes / 2)}`,
  'deep JSON': (bytes) => `${'[{"a":'.repeat(bytes / 8)}${'}]'.repeat(bytes / 8)}`,
};

const sizes = [65_536, 262_144, 1_048_576, 4_194_304];

/** Ours only: at these sizes the quadratic ones take minutes. */
export async function hostileTable(encoding: Encoding): Promise<string> {
  const { count } = await createTokenizer(encoding);
  const rows = Object.entries(makers).map(([name, make]) => {
    const texts = sizes.map(make);
    for (let i = 0; i < 8; i++) count(texts[0] ?? '');
    // Rounds over all sizes instead of one size after the other: a noisy moment then hits one round, not one size.
    const rounds = [1, 2, 3, 4, 5].map(() => texts.map((text) => cpuOf(() => void count(text))));
    const times = sizes.map((_, i) => median(rounds.map((round) => round[i] ?? 0)));
    const ratios = times.slice(1).map((time, i) => time / (times[i] ?? 1));
    const slowest = Math.min(...times.map((time, i) => (sizes[i] ?? 0) / time / 1e3));
    return [
      name,
      ...times.map((time) => time.toFixed(1)),
      ...ratios.map((ratio) => ratio.toFixed(2)),
      slowest.toFixed(1),
    ];
  });
  return table(
    ['text', '64 KB, ms', '256 KB', '1 MB', '4 MB', 'x for 4 x', 'x for 4 x', 'x for 4 x', 'lowest MB/s'],
    rows,
  );
}
