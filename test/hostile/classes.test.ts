import { expect, test } from 'vitest';
import { hostileClasses } from '../../soak/hostile/classes.ts';

test.each(hostileClasses.map((each) => [each.name, each] as const))(
  'withstands generated attacks: %s',
  async (_, { run, testCount }) => {
    const { cases, findings } = await run({ seed: 17, count: testCount });
    expect(findings).toEqual([]);
    expect(cases).toBeGreaterThan(0);
  },
);
