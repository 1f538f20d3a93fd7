import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

// Makes the pages out of their folders, each as a module that can be imported without a build:
//   node packages/engine/scripts/make-page.ts
// A test sees to it that the modules are what the folders say.

const source: string = join(import.meta.dirname, '../src');
const shared: string = join(source, 'page/browser/style');

/** A page: where its folder `page` stands, and its own style sheets in order. */
interface PageSource {
  readonly name: string;
  readonly folder: string;
  readonly sheets: readonly string[];
}

export const pages: readonly PageSource[] = [
  { name: 'session', folder: join(source, 'formats/html'), sheets: ['layout.css', 'timeline.css'] },
  { name: 'prompt', folder: join(source, 'prompt/tracer'), sheets: ['controls.css', 'tree.css'] },
];

export function fileOf({ folder }: PageSource): string {
  return join(folder, 'page.generated.ts');
}

/** The text of the module. */
export async function makePage(page: PageSource): Promise<string> {
  const bundle = await rolldown({ input: join(page.folder, 'page/main.ts'), platform: 'browser', logLevel: 'warn' });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: { legal: false } });
  const [{ code }] = output;
  const script = code.trim();
  const style = stylesOf(page);
  const members = { script, style, hashes: { script: hashOf(script), style: hashOf(style) } };
  return `// Made by scripts/make-page.ts from the folder page.\nexport const page = ${JSON.stringify(members, undefined, 2)} as const;\n`;
}

/** The style sheets in order, those that all pages share first, each rule on a line. */
function stylesOf({ folder, sheets }: PageSource): string {
  const own = join(folder, 'page/style');
  for (const [from, known] of [[shared, 2] as const, [own, sheets.length] as const]) {
    if (readdirSync(from).length !== known)
      throw new Error(`A style sheet in ${from} is not among those that are put together.`);
  }
  const files = [join(shared, 'base.css'), join(shared, 'frame.css'), ...sheets.map((name) => join(own, name))];
  return files
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replaceAll('}', '}\n')
    .trim();
}

/** What a policy for the content of a page names its script and style by. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

if (import.meta.main) for (const page of pages) writeFileSync(fileOf(page), await makePage(page));
