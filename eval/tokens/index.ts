import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  countingRules,
  createCalibration,
  createMessageCounter,
  createTokenizer,
  estimateTokens,
  type MessageCounter,
  total,
  trustedOutput,
} from 'longhaul/tokens';
import { estimateTokenCount } from 'tokenx';
import { table } from '../../bench/tokens/measure.ts';
import { readClaudeCode } from './claude-code.ts';
import type { Growth } from './growth.ts';
import { readPi } from './pi.ts';

const formats = [
  { name: 'pi', reads: (text: string) => /^\{"type":"session",/.test(text), read: readPi },
  { name: 'Claude Code', reads: (text: string) => /"isSidechain":/.test(text), read: readClaudeCode },
];

/** How well growth between requests is predicted in real sessions, all of a format together. */
export async function run(folder: string): Promise<void> {
  const files = globSync(join(folder, '**/*.jsonl')).sort();
  const texts = files.map((file) => readFileSync(file, 'utf8'));
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
  for (const { name, reads, read } of formats) {
    const sessions = texts
      .filter(reads)
      .map(read)
      .filter((growths) => growths.length > 20);
    const judged = sessions.reduce((sum, growths) => sum + growths.length - Math.floor(growths.length / 2), 0);
    print(`\n## ${name}: ${sessions.length} sessions, each learned in its first half; ${judged} growths judged\n`);
    const rows = methods.map((method) => judge({ method, sessions }));
    print(table(['method', ...columns], rows));
  }
}

interface Method {
  readonly name: string;
  readonly count: (text: string) => number;
  /** What is estimated: all the text, or all but the answers, whose count the provider has reported. */
  readonly calibrated?: 'text' | 'rest';
}

const columns = ['median error', 'p95 error', 'mean error', 'error of the sum', 'under the bound', 'bound / actual'];

function judge({ method, sessions }: { method: Method; sessions: readonly (readonly Growth[])[] }): string[] {
  const counter = createMessageCounter({ count: method.count, rules: countingRules.anthropic });
  const errors: number[] = [];
  let [predicted, actual, bounds, within] = [0, 0, 0, 0];
  for (const growths of sessions) {
    const calibration = createCalibration();
    growths.forEach((growth, i) => {
      const { raw, known } = rawOf({ growth, counter, method });
      const target = growth.actual - known;
      if (i < Math.floor(growths.length / 2)) {
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
  }
  errors.sort((a, b) => a - b);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return [
    method.name,
    percent(errors[Math.floor(errors.length / 2)] ?? 0),
    percent(errors[Math.floor(errors.length * 0.95)] ?? 0),
    percent(errors.reduce((a, b) => a + b, 0) / errors.length),
    percent(predicted / actual - 1),
    `${percent(within / errors.length)} (${errors.length - within} over)`,
    (bounds / actual).toFixed(2),
  ];
}

function rawOf({ growth, counter, method }: { growth: Growth; counter: MessageCounter; method: Method }) {
  const [answer, ...rest] = growth.added.map((message) => total(counter.message(message)));
  const isOffered = method.calibrated === 'rest' && answer !== undefined;
  const known = isOffered ? trustedOutput({ output: growth.output, counted: answer }) : undefined;
  const counts = known === undefined ? [answer ?? 0, ...rest] : rest;
  const tokens = counts.reduce((sum, tokens) => sum + tokens, 0);
  return { raw: { tokens, messages: growth.added.length }, known: known ?? 0 };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
