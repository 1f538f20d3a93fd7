import { createMask } from 'longhaul/engine';
import { createRandom } from 'longhaul/testing';

/** Parts of texts that begin a pattern and never complete it. */
const parts = [
  ...[
    'eyJ-',
    'sk-',
    'sk-ant-',
    '://',
    '://a:',
    'key="',
    'password=',
    'password: ',
    'cookie=',
    'Cookie: a=b; ',
    'x-a-key:',
  ],
  ...[
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '\nMIIEabc',
    '\\n',
    '\\"',
    '\\\\',
    'LS0tLS1CRUdJTi',
    '$6$a',
  ],
  ...['authorization: ', 'mysql -', 'name: a_token ', 'value ', 'a.', 'a:5432:', '<password>', '\u001b[3', '[secret:'],
  ...['mnemonic: legal ', '?key=', ';a=', '"kty""d":"', 'token\\n', '    ', '"', 'f0', 'aB', '=', '/', '-'],
] as const;

/** How much longer a text may take that is four times as long; a quadratic search takes sixteen times. */
const mostGrowth = 10;

const pieces = 150;

/**
 * The time that masking takes on texts that would make a backtracking search slow: how much longer a text takes that is
 * four times as long. Exit code 1 if any takes more than linear time.
 */
export function run(): void {
  const random = createRandom(1);
  const rows: { readonly piece: string; readonly short: number; readonly long: number }[] = [];
  for (let number = 0; number < pieces; number += 1) {
    const chosen = Array.from({ length: random.int(1, 4) }, () => random.pick<string>(parts));
    const piece = chosen.join('');
    const short = least(() => timeOf(piece.repeat(Math.ceil(25_000 / piece.length))));
    rows.push({ piece, short, long: least(() => timeOf(piece.repeat(Math.ceil(100_000 / piece.length)))) });
  }
  const isSlow = ({ short, long }: { readonly short: number; readonly long: number }) =>
    long > 50 && long / Math.max(short, 1) > mostGrowth;
  console.log('masking hostile text, 100 kB against 25 kB; the slowest of them:');
  for (const row of rows.toSorted((a, b) => b.long - a.long).slice(0, 10)) {
    const growth = (row.long / Math.max(row.short, 1)).toFixed(1);
    console.log(`${row.long.toFixed(0).padStart(6)} ms  ×${growth.padEnd(5)} ${JSON.stringify(row.piece)}`);
  }
  if (rows.some(isSlow)) process.exitCode = 1;
}

function timeOf(text: string): number {
  // Time of the processor: other programs must not count.
  const started = process.cpuUsage();
  createMask()(text);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** The least of three runs: the others were disturbed. */
function least(run: () => number): number {
  return Math.min(run(), run(), run());
}
