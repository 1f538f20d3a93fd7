import type { SessionHeader } from '../../session/index.ts';

/** What a session is and where it comes from, in the order in which it is told to people. */
export function factsOf({ id, cwd, source, parent, owner }: SessionHeader): (readonly [what: string, value: string])[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['session', id],
    ['imported from', source?.format],
    ['folder', cwd],
    ['forked from', parent?.session],
    ['sub-agent of', owner?.session],
  ];
  return facts.flatMap(([what, value]) => (value === undefined ? [] : [[what, value] as const]));
}
