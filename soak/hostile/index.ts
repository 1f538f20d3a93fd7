import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { hostileClasses } from './classes.ts';
import type { HostileClass, HostileResult } from './hostile-class.ts';

/** At most this many findings of a class are printed. */
const shown = 10;

/** A class that runs longer than this without a limit of its own hangs. */
const hour = 3_600_000;

/**
 * `npm run soak -- hostile [CLASS…] [--seed N] [--count N]`: generated attacks, one class after the other, each in a process
 * of its own, so that a hang or a crash is a finding and not the end of the run. Exit code 1 if anything was found.
 */
export async function soakHostile(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { seed: { type: 'string' }, count: { type: 'string' } },
    allowPositionals: true,
  });
  const seed = wholeNumber({ name: 'seed', value: values.seed }) ?? Math.floor(Math.random() * 2 ** 31);
  const count = wholeNumber({ name: 'count', value: values.count });
  const chosen = choose(positionals);
  console.log(`hostile: seed ${seed}; repeat with: npm run soak -- hostile --seed ${seed}`);
  let total = 0;
  for (const each of chosen) {
    const started = Date.now();
    const result = await inChild({ each, seed, count: count ?? each.soakCount });
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    const { cases, findings, notes = [] } = result;
    total += findings.length;
    console.log(
      `${each.name}: ${cases.toLocaleString('en')} cases, ${findings.length} findings, ${seconds} s (${each.about})`,
    );
    for (const note of notes) console.log(`  ${note}`);
    for (const finding of findings.slice(0, shown)) console.log(`  FOUND ${finding}`);
    if (findings.length > shown) console.log(`  and ${findings.length - shown} more`);
  }
  return total === 0 ? 0 : 1;
}

function choose(names: readonly string[]): readonly HostileClass[] {
  const unknown = names.find((name) => !hostileClasses.some((each) => each.name === name));
  if (unknown !== undefined)
    throw new Error(
      `There is no class "${unknown}". The classes are ${hostileClasses.map(({ name }) => name).join(', ')}.`,
    );
  return names.length === 0 ? hostileClasses : hostileClasses.filter(({ name }) => names.includes(name));
}

async function inChild({
  each,
  seed,
  count,
}: {
  readonly each: HostileClass;
  readonly seed: number;
  readonly count: number;
}): Promise<HostileResult> {
  const child: ChildProcess = fork(new URL('./worker.ts', import.meta.url), [each.name, `${seed}`, `${count}`]);
  let result: HostileResult | undefined;
  let isTimeout = false;
  child.on('message', (sent) => {
    result = sent as HostileResult;
  });
  const timer = setTimeout(() => {
    isTimeout = true;
    child.kill('SIGKILL');
  }, each.timeoutMs ?? hour);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(timer);
  if (result) return result;
  const ended = isTimeout ? 'did not end in time' : `the process ended with ${code ?? signal}`;
  return { cases: 0, findings: [`${each.name}: ${ended}`] };
}

function wholeNumber({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0) throw new Error(`--${name} must be a whole number, not "${value}".`);
  return number;
}
