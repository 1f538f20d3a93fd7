import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// Makes the page of an HTML export out of its folder, as a module that the exporter can import without a build:
//   node packages/engine/scripts/make-page.ts
// A test sees to it that the module is what the folder says.

const folder: string = join(import.meta.dirname, '../src/session/formats/html');
const file: string = join(folder, 'page.generated.ts');

/** The text of the module. */
export async function makePage(): Promise<string> {
  const bundle = await rolldown({ input: join(folder, 'page/main.ts'), platform: 'browser', logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: { legal: false } });
  const [{ code }] = output;
  const members = { script: code.trim(), style: styles() };
  return `// Made by scripts/make-page.ts from the folder page.\nexport const page = ${JSON.stringify(members, undefined, 2)} as const;\n`;
}

/** The style sheets in order, each rule on a line. */
function styles(): string {
  const from = join(folder, 'page/style');
  const text = ['base.css', 'layout.css', 'timeline.css']
    .map((name) => readFileSync(join(from, name), 'utf8'))
    .join('\n');
  if (readdirSync(from).length !== 3)
    throw new Error(`A style sheet in ${from} is not among those that are put together.`);
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll('}', '}\n')
    .trim();
}

if (import.meta.main) writeFileSync(file, await makePage());
