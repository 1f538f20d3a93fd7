import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  countingRules,
  createCalibration,
  createMessageCounter,
  createTokenizer,
  estimateTokens,
  total,
} from 'longhaul/tokens';
import { estimateTokenCount } from 'tokenx';
import { table } from '../../bench/tokens/measure.ts';
import { type Growth, readGrowths } from './pi.ts';

/** How well growth between requests is predicted in real sessions. */
export async function run(folder: string): Promise<void> {
  const sessions = globSync(join(folder, '**/*.jsonl'))
    .sort()
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => /^\{"type":"session",/.test(text))
    .map(({ file, text }) => ({ file, growths: readGrowths(text) }))
    .filter(({ growths }) => growths.length > 20);
  const { count } = await createTokenizer('o200k_base');
  const methods: readonly Method[] = [
    { name: 'length / 4', count: (text) => text.length / 4 },
    { name: 'tokenx', count: estimateTokenCount },
    { name: 'o200k_base, exact', count },
    { name: 'length / 4, calibrated', count: (text) => text.length / 4, calibrated: 'text' },
    { name: 'tokenx, calibrated', count: estimateTokenCount, calibrated: 'text' },
    { name: 'longhaul, by script', count: estimateTokens, calibrated: 'text' },
    { name: 'longhaul, by o200k_base', count, calibrated: 'text' },
    { name: 'longhaul, by script, answers as reported', count: estimateTokens, calibrated: 'rest' },
    { name: 'longhaul, by o200k_base, answers as reported', count, calibrated: 'rest' },
  ];
  for (const { file, growths } of sessions) {
    const half = Math.floor(growths.length / 2);
    print(`\n## ${file}: learned from ${half} growths, judged on ${growths.length - half}\n`);
    print(
      table(
        ['method', ...columns],
        methods.map((method) => judge({ method, growths, half })),
      ),
    );
  }
}

interface Method {
  readonly name: string;
  readonly count: (text: string) => number;
  /** What is estimated: all the text, or all but the answers, whose count the provider has reported. */
  readonly calibrated?: 'text' | 'rest';
}

const columns = ['median error', 'p95 error', 'mean error', 'error of the sum', 'under the bound', 'bound / actual'];

function judge({ method, growths, half }: { method: Method; growths: readonly Growth[]; half: number }): string[] {
  const counter = createMessageCounter({ count: method.count, rules: countingRules.anthropic });
  const calibration = createCalibration();
  const errors: number[] = [];
  let [predicted, actual, bounds, within] = [0, 0, 0, 0];
  growths.forEach((growth, i) => {
    const { raw, known } = rawOf({ growth, counter, method });
    const target = growth.actual - known;
    if (i < half) {
      calibration.learn({ raw, actual: target });
      return;
    }
    const guess = method.calibrated ? calibration.predict(raw) : { tokens: raw.tokens, bound: raw.tokens };
    errors.push(Math.abs(guess.tokens - target) / growth.actual);
    predicted += guess.tokens + known;
    actual += growth.actual;
    bounds += guess.bound + known;
    if (growth.actual <= guess.bound + known) within++;
  });
  errors.sort((a, b) => a - b);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    method.name,
    percent(errors[Math.floor(errors.length / 2)] ?? 0),
    percent(errors[Math.floor(errors.length * 0.95)] ?? 0),
    percent(errors.reduce((a, b) => a + b, 0) / errors.length),
    percent(predicted / actual - 1),
    percent(within / errors.length),
    (bounds / actual).toFixed(2),
  ];
}

function rawOf({
  growth,
  counter,
  method,
}: {
  growth: Growth;
  counter: ReturnType<typeof createMessageCounter>;
  method: Method;
}) {
  const known = method.calibrated === 'rest' ? growth.output : 0;
  const messages = known > 0 ? growth.added.slice(1) : growth.added;
  const tokens = messages.reduce((sum, message) => sum + total(counter.message(message)), 0);
  return { raw: { tokens, messages: growth.added.length }, known };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
