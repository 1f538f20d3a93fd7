import { isRecord } from '../input/is-record.ts';

/**
 * An object with each value at its key path.
 *
 * @example
 * nested([['color', 'never'], ['limits.fileBytes', 1]]); // { color: 'never', limits: { fileBytes: 1 } }
 */
export function nested(entries: Iterable<readonly [key: string, value: unknown]>): object {
  const result: Group = {};
  for (const [key, value] of entries) {
    const names = key.split('.');
    const last = names.pop() ?? key;
    let group = result;
    for (const name of names) group = subgroup({ group, name });
    group[last] = value;
  }
  return result;
}

type Group = Record<string, unknown>;

function subgroup({ group, name }: { group: Group; name: string }): Group {
  const present = group[name];
  if (isRecord(present)) return present;
  const made: Group = {};
  group[name] = made;
  return made;
}
