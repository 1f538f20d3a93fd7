import { parseArgs } from 'node:util';
import { tokenFamilies } from 'longhaul/models';
import { createTokenizer, type Prior } from 'longhaul/tokens';
import { table } from '../../bench/tokens/measure.ts';
import { listedIn } from '../import/listed.ts';
import { type Judged, judgeSession } from './judge.ts';
import { type CountedSession, counterFor, countSession, halves, learnFactor, unseenIn } from './learn.ts';
import { type LoggedSession, loggedSessions } from './requests.ts';

/** A session in which more of the reports than this fell without a reason in the log reports something else. */
const mostFalls = 0.05;

/** Shorter ones say little, and cost a constant all the same. */
const leastRequests = 8;

/**
 * Learns from half of the sessions in a folder how the tokens of each family of models relate to our count, judges the
 * bound by the other half, and compares with what is shipped in `token-families.json`. `--verbose` lists the sessions.
 */
export async function run(folder: string): Promise<void> {
  const { values } = parseArgs({ options: { verbose: { type: 'boolean', default: false } }, allowPositionals: true });
  const { count } = await createTokenizer('o200k_base');
  const read: LoggedSession[] = [];
  for (const { path, file } of listedIn(folder)) read.push(...(await loggedSessions({ path, file })));
  const usable = read.filter(({ requests }) => requests.length >= leastRequests);
  const isSound = ({ falls, requests }: LoggedSession) => falls <= requests.length * mostFalls;
  const rows: string[][] = [];
  for (const family of tokenFamilies) {
    const sessions = usable
      .filter((session) => session.family === family && isSound(session))
      .map((session) => countSession({ session, count }));
    if (sessions.length === 0) continue;
    const [learned, judged] = halves(sessions);
    const factor = learnFactor(learned);
    const turned = learnFactor(judged);
    const prior = { perToken: family.factor, perMessage: 0, margin: family.margin };
    const bounds = judged.map((session) => judgeSession({ session, prior, counter: counterFor({ session, count }) }));
    const requests = (list: readonly CountedSession[]) => list.reduce((sum, { counted }) => sum + counted.length, 0);
    rows.push([
      family.family,
      `${learned.length} / ${requests(learned)}`,
      `${factor.toFixed(3)} (${turned.toFixed(3)})`,
      `${marginOf({ sessions: learned, factor }).toFixed(2)}`,
      `${family.factor} + ${Math.round(family.margin * 100)} %`,
      `${judged.length} / ${requests(judged)}`,
      ...(['before', 'conversation', 'after', 'anew'] as const).map((name) => shown(bounds, name)),
    ]);
    if (!values.verbose) continue;
    for (const session of sessions) describe({ session, prior, count, isJudged: judged.includes(session) });
  }
  print(table(columns, rows));
  print('\nBound over true size: mean, largest 5 %, and the share of requests whose true size is under it.');
  const unsound = usable.filter((session) => !isSound(session));
  for (const { file, model, falls, requests } of unsound) {
    print(
      `Left out: ${file} (${model}): of ${requests.length} reported sizes ${falls} fell although the log only grew.`,
    );
  }
}

const columns = [
  'family',
  'learned from sessions / requests',
  'factor (from the other half)',
  'margin that covers 99.5 %',
  'shipped',
  'judged sessions / requests',
  'before any usage',
  'conversation alone',
  'after three reports',
  'anew after three',
];

/** The smallest margin, to the next hundredth, under which 99.5 % of the requests stay. */
function marginOf({ sessions, factor }: { readonly sessions: readonly CountedSession[]; readonly factor: number }) {
  const excess = sessions.flatMap((session) => {
    const unseen = unseenIn(session);
    return session.counted.map(({ tokens, actual, segment }) => {
      const seen = actual - (unseen.get(segment) ?? 0);
      return (seen - 12) / Math.max(1, factor * tokens) - 1;
    });
  });
  excess.sort((a, b) => a - b);
  return Math.ceil((excess[Math.floor(excess.length * 0.995)] ?? 0) * 100) / 100;
}

function shown(bounds: readonly Judged[], name: keyof Judged): string {
  const all = bounds.flatMap((judged) => judged[name]).sort((a, b) => a - b);
  if (all.length === 0) return '-';
  const mean = all.reduce((sum, ratio) => sum + ratio, 0) / all.length;
  const large = all[Math.floor(all.length * 0.95)] ?? 0;
  const under = all.filter((ratio) => ratio >= 1).length / all.length;
  return `${mean.toFixed(3)}, ${large.toFixed(3)}, ${(under * 100).toFixed(1)} %`;
}

function describe({
  session,
  prior,
  count,
  isJudged,
}: {
  readonly session: CountedSession;
  readonly prior: Prior;
  readonly count: (text: string) => number;
  readonly isJudged: boolean;
}): void {
  const bounds = [judgeSession({ session, prior, counter: counterFor({ session, count }) })];
  const own = learnFactor([session]);
  print(
    `${session.file.slice(-40)} ${session.model} ${isJudged ? 'judged' : 'learned'}: ${session.counted.length} requests, ` +
      `own factor ${own}, before ${shown(bounds, 'before')}; conversation ${shown(bounds, 'conversation')}; ` +
      `after ${shown(bounds, 'after')}; anew ${shown(bounds, 'anew')}; falls ${session.falls}`,
  );
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
