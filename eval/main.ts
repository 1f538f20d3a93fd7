/** `npm run eval -- NAME FOLDER`: measures on real data that is not part of the project, each in eval/NAME/index.ts. */
import { existsSync, readdirSync } from 'node:fs';

const names = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const [name, folder] = process.argv.slice(2);

if (!name || !names.includes(name)) {
  console.error(`Say what to evaluate: ${names.join(', ')}. For example: npm run eval -- ${names[0]} FOLDER`);
  process.exitCode = 2;
} else if (!folder || !existsSync(folder)) {
  console.error(folder ? `There is no folder ${folder}.` : `Say on what: npm run eval -- ${name} FOLDER`);
  process.exitCode = 2;
} else {
  const { run } = (await import(`./${name}/index.ts`)) as { run: (folder: string) => Promise<void> | void };
  await run(folder);
}
