import { type EngineSession, type Pin, rulesOn } from 'longhaul/engine';
import { formatHandle } from 'longhaul/session';

/** A rule in force; the JSON output, see docs/cli.md. */
export interface RuleInForce {
  readonly text: string;
  readonly by: Pin['by'];
  /** The exact lines. */
  readonly from: string;
  /** The handle that `--remove` takes. */
  readonly entry: string;
}

/**
 * The rules that every compaction keeps, with the handle that removes each.
 *
 * @example
 * for (const { text, entry } of await rulesInForce(session)) console.log(entry, text);
 */
export async function rulesInForce({ session }: EngineSession): Promise<RuleInForce[]> {
  const path = await session.path();
  const handles = new Map(path.map(({ id, handle }) => [id, handle]));
  return rulesOn(path, { root: session.header.cwd }).map(({ text, by, from, entry }) => ({
    text,
    by,
    from,
    entry: formatHandle({ entry: handles.get(entry) ?? 0 }),
  }));
}
