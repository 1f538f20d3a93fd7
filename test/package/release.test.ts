import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { apiReport } from '../../release/api-report.ts';
import { leastLevel, nextVersion, notesOf, released } from '../../release/notes.ts';
import { workspacePackages } from '../../release/stage.ts';

function reportOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return apiReport({
    folder,
    exports: { '.': { types: './index.d.ts', default: './index.js' }, './package.json': './x' },
  });
}

const files = {
  'index.d.ts': `import { n as Options$1, t as open } from "./chunk-Ab12.js";\nexport { type Options$1 as Options, open };\n`,
  'chunk-Ab12.d.ts': `import { Readable } from "node:stream";
/** Where. */
interface Place$2 { readonly at: string }
interface Options$1 { readonly place?: Place$2; /** Soon. */ readonly wait: number }
interface Private { readonly secret: string }
declare function open(options: Options$1): Readable;
export { open as t, Options$1 as n };
`,
};

it('the report of public types has what exports reach, without comments and names of the bundler', () => {
  const text = reportOf(files);
  expect(text).toBe(`.
  Options
  open

interface Options { readonly place?: Place;  readonly wait: number }

interface Place { readonly at: string }

declare function open(options: Options): Readable;
`);
});

it('the report changes with a type that is only reached, and not with comments, private types and names of chunks', () => {
  const before = reportOf(files);
  const chunk = files['chunk-Ab12.d.ts'];
  const index = files['index.d.ts'];
  expect(reportOf({ ...files, 'chunk-Ab12.d.ts': chunk.replace('at: string', 'at: number') })).not.toBe(before);
  const same = chunk.replace('Where.', 'Here.').replace('secret', 'hidden').replaceAll('Place$2', 'Place$3');
  expect(reportOf({ 'index.d.ts': index.replace('Ab12', 'Cd34'), 'chunk-Cd34.d.ts': same })).toBe(before);
});

it('notes decide the least level, and become those of the version', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n### Removed\n- `old`.\n\n## 1.2.0 - 2026-01-01\n- First.\n';
  const notes = notesOf({ changelog, version: 'Unreleased' });
  expect(notes).toBe('### Removed\n- `old`.');
  expect(leastLevel({ notes, version: '1.2.0' })).toBe('major');
  expect(leastLevel({ notes, version: '0.2.0' })).toBe('minor');
  expect(leastLevel({ notes: '### Fixed\n- It.', version: '1.2.0' })).toBe('patch');
  expect(
    ['major', 'minor', 'patch'].map((level) => nextVersion({ version: '1.2.3', level: level as 'major' })),
  ).toEqual(['2.0.0', '1.3.0', '1.2.4']);
  const after = released({ changelog, version: '2.0.0', date: '2026-02-02' });
  expect(notesOf({ changelog: after, version: 'Unreleased' })).toBe('');
  expect(notesOf({ changelog: after, version: '2.0.0' })).toBe(notes);
  expect(notesOf({ changelog: after, version: '1.2.0' })).toBe('- First.');
});

it('a package that others depend on is released before them', () => {
  const names = workspacePackages().map(({ manifest }) => manifest.name);
  expect(names.indexOf('longhaul')).toBeLessThan(names.indexOf('@longhaul/gateway'));
  expect(names.indexOf('@longhaul/gateway')).toBeLessThan(names.indexOf('@longhaul/cli'));
});
