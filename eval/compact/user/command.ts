import { memoryIo } from '../../../packages/cli/src/io/memory-io.ts';
import { run } from '../../../packages/cli/src/run.ts';

/** What the command prints for a session before and after a compaction. */
export interface CommandOutcome {
  /** Whether `longhaul compact` installed a summary. */
  readonly installed: boolean;
  /** Why it did not, or the plan in one sentence. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Every text of the request that `longhaul context` prints, without and with the compaction. */
  readonly before: string;
  readonly after: string;
  /** The summary alone; empty where none was installed. */
  readonly summary: string;
}

/**
 * Imports a file, compacts it for a window and prints its context with the command itself (`import`, `context`, `compact
 * --summarizer extractive`, `context`), on a store in memory: what is measured is what a user gets.
 */
export async function throughCommand({
  name,
  text,
  window,
}: {
  /** The file's name; its extension is part of how its format is recognized. */
  readonly name: string;
  readonly text: string;
  readonly window: number;
}): Promise<CommandOutcome> {
  const io = memoryIo({ files: { [`/project/${name}`]: text } });
  const command = async (...argv: readonly string[]) => {
    io.printed.stdout = '';
    const code = await run({ argv: [...argv, '--json'], io });
    return { code, json: JSON.parse(io.printed.stdout) as Record<string, unknown> };
  };
  const imported = await command('import', name);
  const session = String(imported.json.sessionId ?? '');
  if (session === '') throw new Error(`${name} was not imported: ${JSON.stringify(imported.json)}`);
  const size = ['--window', String(window)];
  const before = await command('context', session, ...size);
  const { json } = await command('compact', session, ...size, '--summarizer', 'extractive');
  const after = await command('context', session, ...size);
  const installed = json.installed === true;
  return {
    installed,
    reason: String(json.reason ?? JSON.stringify(json)),
    tokensBefore: Number(json.tokensBefore ?? 0),
    tokensAfter: Number(json.tokensAfter ?? 0),
    before: sentIn(before.json),
    after: sentIn(after.json),
    summary: installed && typeof json.summary === 'string' ? json.summary : '',
  };
}

/** What a model reads of a request: every string of its head and messages, arguments of calls without JSON's escapes. */
function sentIn({ system, messages }: Record<string, unknown>): string {
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(system);
  visit(messages);
  return texts.join('\n');
}
