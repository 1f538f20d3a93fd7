/** `npm run bench -- NAME`: side-by-side measurements, each in bench/NAME/index.ts. Speed lives here, not in tests. */
import { readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const unknown = chosen.find((name) => !names.includes(name));

if (unknown) {
  console.error(`There is no benchmark "${unknown}". Choose from: ${names.join(', ')}.`);
  process.exitCode = 2;
} else {
  for (const name of chosen.length > 0 ? chosen : names) {
    const { run } = (await import(`./${name}/index.ts`)) as { run: () => Promise<void> | void };
    await run();
  }
}
