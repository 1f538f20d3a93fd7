import { readdirSync, readFileSync } from 'node:fs';
import { createMask } from 'longhaul/engine';

/** At most one line in so many may be masked although it holds no secret. */
const linesPerFalsePositive = 10_000;

/**
 * Masks every text in the JSON, JSONL and Markdown files of a folder and prints the lines that were changed. Where the
 * data holds no secrets, each of them is a false positive. Prints the share and the time per megabyte.
 */
export function run(folder: string): void {
  const mask = createMask({ keepsLines: true });
  const hits = new Map<string, number>();
  let [lines, bytes, ms, masked] = [0, 0, 0, 0];
  for (const text of texts(folder)) {
    const started = performance.now();
    const after = mask(text);
    ms += performance.now() - started;
    bytes += text.length;
    const before = text.split('\n');
    lines += before.length;
    if (after === text) continue;
    for (const [index, line] of after.split('\n').entries()) {
      if (line === before[index]) continue;
      masked += 1;
      const shown = excerpt({ before: before[index] ?? '', after: line });
      hits.set(shown, (hits.get(shown) ?? 0) + 1);
    }
  }
  for (const [shown, count] of [...hits].toSorted((a, b) => b[1] - a[1]))
    console.log(`${String(count).padStart(5)}  ${shown}`);
  const megabytes = bytes / 1e6;
  const allowed = lines / linesPerFalsePositive;
  console.log(`\n${lines} lines, ${megabytes.toFixed(1)} MB, ${(ms / megabytes).toFixed(0)} ms per MB`);
  console.log(
    `${masked} lines masked (${hits.size} different), ${allowed.toFixed(0)} allowed: 1 in ${Math.round(lines / Math.max(1, masked))}`,
  );
  process.exitCode = masked <= allowed ? 0 : 1;
}

/** The first difference with what is around it. */
function excerpt({ before, after }: { readonly before: string; readonly after: string }): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return before.slice(Math.max(0, at - 40), at + 60);
}

function* texts(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:jsonl?|traj|md)$/.test(entry.name)) continue;
    const text = readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8');
    if (entry.name.endsWith('.md')) yield text;
    else
      for (const document of entry.name.endsWith('.jsonl') ? text.split('\n').filter(Boolean) : [text])
        yield* leaves(parsed(document));
  }
}

function parsed(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return document;
  }
}

function* leaves(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* leaves(member);
}
