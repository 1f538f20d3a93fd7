import {
  type Calibration,
  type CalibrationState,
  createCalibration,
  type Estimate,
  type Prior,
} from './calibration.ts';

/**
 * Tokens for each feature of a text: fitted by least squares to o200k_base over code, Markdown, JSON, logs, CJK, base64
 * and other scripts, then rounded, and raised by hand where the fit was low (noise, emoji). The factor between models is
 * what calibration finds.
 */
const weights = [0.78, 0.18, 1.37, 0.73, 0.12, 1.8, 2, 0.75, 0.55, 1.5, 0.68];

/**
 * The tokens of a text by what it is made of, without a vocabulary and for no model in particular.
 *
 * @example
 * estimateTokens('const answer = 42;'); // 4
 */
export function estimateTokens(text: string): number {
  const features = featuresOf(text);
  let tokens = 0;
  for (let i = 0; i < features.length; i++) tokens += (features[i] as number) * (weights[i] as number);
  return text === '' ? 0 : Math.max(1, Math.round(tokens));
}

/** Counts for a model whose vocabulary is not public. */
export interface Estimator {
  readonly model: string;
  /** The likely number of tokens of a text. */
  count(text: string): number;
  estimate(text: string): Estimate;
  readonly calibration: Calibration;
}

/**
 * Estimates for one model: by what the text is made of, and by what its provider has reported so far.
 *
 * @example
 * const estimator = createEstimator({ model: 'claude-sonnet-4-5' });
 * const { tokens, bound } = estimator.estimate('How large is this?');
 * estimator.calibration.learn({ raw: { tokens: 900, messages: 3 }, actual: 1180 }); // from reported usage
 */
export function createEstimator({
  model,
  state,
  prior,
  count = estimateTokens,
}: {
  readonly model: string;
  readonly state?: CalibrationState;
  /** What is known of the model beforehand. */
  readonly prior?: Prior;
  /** A better guess to calibrate, e.g. `count` of an o200k_base tokenizer. */
  readonly count?: (text: string) => number;
}): Estimator {
  const calibration = createCalibration({ ...(state && { state }), ...(prior && { prior }) });
  const estimate = (text: string) => calibration.predict({ tokens: count(text), messages: 0 });
  return { model, count: (text) => estimate(text).tokens, estimate, calibration };
}

/** What a text is made of, as far as it decides how many tokens any modern tokenizer makes of it. */
const featureNames = [
  'words', // runs of letters, cut where a capital follows a small letter
  'wordTails', // letters after the eighth of a word
  'digitGroups', // groups of up to three digits
  'marks', // runs of punctuation
  'markTails', // further characters of those runs
  'lineBreaks', // runs of white space with a line end
  'gaps', // other runs of two blanks or more
  'ideographs', // Han, kana, Hangul
  'foreign', // letters of other scripts
  'pictures', // emoji and the rest beyond the basic plane
  'noise', // characters of base64, hashes and keys
] as const;

const [WORDS, WORD_TAILS, DIGITS, MARKS, MARK_TAILS, LINES, GAPS, IDEOGRAPHS, FOREIGN, PICTURES, NOISE] =
  featureNames.keys() as unknown as readonly [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** Runs of letters, digits and the signs of base64 at least this long are looked at for noise. */
const noiseRun = 20;
const wordHead = 8;

const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const BLANK = 4;
const LINE = 5;

const kinds = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) kinds[code] = SMALL;
  else if (/[A-Z]/.test(char)) kinds[code] = CAPITAL;
  else if (/[0-9]/.test(char)) kinds[code] = DIGIT;
  else if (/[\r\n]/.test(char)) kinds[code] = LINE;
  else if (/\s/.test(char)) kinds[code] = BLANK;
}

function featuresOf(text: string): Float64Array {
  const found = new Float64Array(featureNames.length);
  const add = (feature: number, amount: number) => {
    found[feature] = (found[feature] as number) + amount;
  };
  /** Up to here the run has been looked at and is no noise. */
  let plain = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (kinds[code] as number) : OTHER;
    if (code >= 128) at = beyondAscii(at, code);
    else if (kind === OTHER) at = marks(at);
    else if (kind === BLANK || kind === LINE) at = blanks(at);
    else if (at >= plain && skipNoise(at) > at) at = plain;
    else if (kind === DIGIT) at = digits(at);
    else at = word(at);
  }
  return found;

  function skipNoise(start: number): number {
    plain = runEnd(text, start);
    if (plain - start < noiseRun || !isNoise(text, start, plain)) return start;
    add(NOISE, plain - start);
    return plain;
  }

  function beyondAscii(at: number, code: number): number {
    if (code >= 0xd800 && code < 0xdc00) {
      add(PICTURES, 1);
      return at + 2;
    }
    const ideograph = (code >= 0x2e80 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7ff) || code >= 0xf900;
    add(ideograph ? IDEOGRAPHS : FOREIGN, 1);
    return at + 1;
  }

  function marks(start: number): number {
    let at = start + 1;
    while (at < text.length && text.charCodeAt(at) < 128 && kinds[text.charCodeAt(at)] === OTHER) at++;
    add(MARKS, 1);
    add(MARK_TAILS, at - start - 1);
    return at;
  }

  function blanks(start: number): number {
    let at = start;
    let line = false;
    for (; at < text.length; at++) {
      const kind = kinds[text.charCodeAt(at)];
      if (kind !== BLANK && kind !== LINE) break;
      line ||= kind === LINE;
    }
    if (line) add(LINES, 1);
    else if (at - start > 1) add(GAPS, 1);
    return at;
  }

  function digits(start: number): number {
    let at = start;
    while (at < text.length && kinds[text.charCodeAt(at)] === DIGIT) at++;
    add(DIGITS, Math.ceil((at - start) / 3));
    return at;
  }

  function word(start: number): number {
    let at = start;
    while (kinds[text.charCodeAt(at)] === CAPITAL) at++;
    while (kinds[text.charCodeAt(at)] === SMALL) at++;
    add(WORDS, 1);
    add(WORD_TAILS, Math.max(0, at - start - wordHead));
    return at;
  }
}

function runEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (kinds[code] as number) : OTHER;
    const sign = code === 0x2b || code === 0x2f || code === 0x3d;
    if (kind !== SMALL && kind !== CAPITAL && kind !== DIGIT && !sign) break;
  }
  return at;
}

/** Names change their kind of character now and then; noise does so at every second or third. */
function isNoise(text: string, start: number, end: number): boolean {
  let changes = 0;
  for (let at = start + 1; at < end; at++) {
    if (kinds[text.charCodeAt(at)] !== kinds[text.charCodeAt(at - 1)]) changes++;
  }
  return changes * 4 > end - start;
}
