import { hostileClasses } from './classes.ts';

const [name, seed, count] = process.argv.slice(2);
const found = hostileClasses.find((each) => each.name === name);
if (!found) throw new Error(`There is no class "${name}".`);
const result = await found.run({ seed: Number(seed), count: Number(count) });
process.send?.(result, () => process.exit(0));
