import { cpuUsage } from 'node:process';
import { check, codecs, dialects, repair, semanticKey } from 'longhaul/message';
import { generateSession } from 'longhaul/testing';

/**
 * What it costs to read and write a conversation, as a multiple of what any program pays that touches it at all:
 * JSON.parse and JSON.stringify of the same bytes. CPU time, median of interleaved runs.
 */
export function run(): void {
  const session = generateSession({ seed: 1, turns: 400, lines: 40 });
  console.log(
    `messages: ${session.length}, one generated session; CPU ms, median of ${rounds}, and x of JSON.parse + JSON.stringify\n`,
  );
  console.log('dialect            size kB    JSON  decode         encode         check          repair         key');
  for (const dialect of dialects) {
    const codec = codecs[dialect];
    const items = codec.encode(session);
    const text = JSON.stringify(items);
    const messages = codec.decode(items);
    const times = measure({
      json: () => JSON.stringify(JSON.parse(text)),
      decode: () => codec.decode(items),
      encode: () => codec.encode(messages),
      check: () => check(messages, dialect),
      repair: () => repair(messages, dialect),
      key: () => semanticKey(messages),
    });
    const cells = (['decode', 'encode', 'check', 'repair', 'key'] as const).map((name) =>
      `${times[name].toFixed(1)} (${(times[name] / times.json).toFixed(2)} x)`.padEnd(15),
    );
    const size = (Buffer.byteLength(text) / 1024).toFixed(0);
    console.log(`${dialect.padEnd(17)} ${size.padStart(8)} ${times.json.toFixed(1).padStart(7)}  ${cells.join('')}`);
  }
}

const rounds = 25;

/** Runs all in turn, so that what else the machine does hits them alike. */
function measure<Name extends string>(work: Record<Name, () => unknown>): Record<Name, number> {
  const names = Object.keys(work) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const before = cpuUsage();
      work[name]();
      const { user, system } = cpuUsage(before);
      samples[name].push((user + system) / 1000);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples[name])])) as Record<Name, number>;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
