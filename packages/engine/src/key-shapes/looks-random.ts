/** Runs of letters that may be words. */
const runs = /[A-Z]?[a-z]{2,}|[A-Z]{2,}/g;

/** The most frequent pairs of letters in English words and in names of programs. */
const pairs = new Set(
  'th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga ue ff ba ey va um up go ck ew mu br bi pt pu ui ug key ok ap pi dl ls'
    .split(' ')
    .filter(({ length }) => length === 2),
);

/**
 * Whether a text looks drawn at random. Names of things (`key-value-store`, `getApiKeyForModel2`, `pk-constraint-2`) are
 * mostly words; random text is not, and it changes between letters and digits or between cases often.
 *
 * @example
 * looksRandom('Zx8Qw2Lm5Tn7Vb3Rk9Yp'); // true
 * looksRandom('user-settings-v2-2024'); // false
 */
export function looksRandom(value: string): boolean {
  if (value.length < 16) return false;
  const sample = value.slice(0, 120);
  if (shareOfWords(sample) > 0.5 || new Set(sample).size < 7) return false;
  const digits = sample.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  const cases = sample.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  if (digits >= Math.max(3, sample.length / 14)) return true;
  return digits >= 2 ? cases >= sample.length / 6 : cases >= Math.max(6, sample.length / 3.5);
}

/** How much of a text is in runs of letters that can be words, from 0 to 1. */
export function shareOfWords(text: string): number {
  return (text.match(runs) ?? []).reduce((sum, run) => sum + (isWord(run) ? run.length : 0), 0) / text.length;
}

/** Two letters say little; of more, most pairs must be frequent ones. */
function isWord(run: string): boolean {
  if (run.length < 3) return false;
  const letters = run.toLowerCase();
  let frequent = 0;
  for (let at = 0; at + 1 < letters.length; at += 1) if (pairs.has(letters.slice(at, at + 2))) frequent += 1;
  return frequent / (letters.length - 1) > 0.6;
}
