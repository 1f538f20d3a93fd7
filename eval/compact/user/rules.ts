import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Share } from '../fidelity/measure.ts';

/** A rule that binds an agent at a session's cut, with the words it was said in. */
interface StatedRule {
  readonly rule: string;
  readonly quote: string;
  /** The entry of the file that contains it. */
  readonly entry: number;
  /** Who set it: a person, an instruction file, a loaded skill. */
  readonly authority: string;
}

/** Something left to do or unresolved at the cut. */
interface OpenEnd {
  readonly open: string;
  readonly quote: string;
}

export interface Stated {
  readonly session: string;
  readonly rules: readonly StatedRule[];
  readonly open: readonly OpenEnd[];
}

/** The rules and open ends that a folder's `rules.json` lists, by session; none where there is no such file. */
export function statedIn(folder: string): ReadonlyMap<string, Stated> {
  const file = join(folder, 'rules.json');
  if (!existsSync(file)) return new Map();
  const { sessions } = JSON.parse(readFileSync(file, 'utf8')) as { sessions: readonly Stated[] };
  return new Map(sessions.map((stated) => [stated.session, stated]));
}

/** What of a session's rules and open ends is in a context, by authority. */
export interface RulesFound {
  readonly byAuthority: Readonly<Record<string, Share>>;
  readonly open: Share;
  readonly missed: readonly StatedRule[];
}

export function rulesIn({ stated, sent }: { readonly stated: Stated | undefined; readonly sent: string }): RulesFound {
  const { rules = [], open = [] } = stated ?? {};
  const context = plain(sent);
  const isKept = ({ quote }: { readonly quote: string }) => context.includes(plain(quote));
  const groups = Map.groupBy(rules, ({ authority }) => authority);
  const byAuthority = Object.fromEntries(
    [...groups].map(([authority, list]) => [authority, { found: list.filter(isKept).length, of: list.length }]),
  );
  return {
    byAuthority,
    open: { found: open.filter(isKept).length, of: open.length },
    missed: rules.filter((rule) => !isKept(rule)),
  };
}

/** Words alone: case, marks of emphasis, line breaks and the list's own `[593 user]` do not matter. */
function plain(text: string): string {
  return text
    .replace(/^\[\d+ \w+\] /, '')
    .replace(/\\n/g, ' ')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
