import { describe, expect, test } from 'vitest';
import { importCandidates, importsOf } from './imports.ts';

describe('imports', () => {
  test('all forms', () => {
    const text = [
      "import a, { b as c, type D } from './x';",
      "import * as e from './y';",
      "import type F from './z';",
      "const { g, h: i } = require('./w');",
    ].join('\n');
    expect(importsOf({ text })).toEqual([
      { local: 'a', remote: 'default', from: './x' },
      { local: 'c', remote: 'b', from: './x' },
      { local: 'D', remote: 'D', from: './x' },
      { local: 'e', remote: '*', from: './y' },
      { local: 'F', remote: 'default', from: './z' },
      { local: 'g', remote: 'g', from: './w' },
      { local: 'i', remote: 'h', from: './w' },
    ]);
    expect(importsOf({ text: "export * from './a';\nexport { b } from './c';", isExport: true })).toEqual([
      { local: '*', remote: '*', from: './a' },
      { local: 'b', remote: 'b', from: './c' },
    ]);
  });

  const candidates = ({
    path = 'src/a.ts',
    from,
    files = {},
    packages = {},
  }: {
    readonly path?: string;
    readonly from: string;
    readonly files?: Readonly<Record<string, string>>;
    readonly packages?: Readonly<Record<string, string>>;
  }) =>
    importCandidates({
      path,
      from,
      files: { read: async (name) => files[name], packageFolder: (name) => packages[name] },
    });

  test('candidates stay inside of the root, and .js means .ts first where only that is there', async () => {
    expect((await candidates({ from: './b.js' })).slice(0, 3)).toEqual(['src/b.js', 'src/b.ts', 'src/b.tsx']);
    expect(await candidates({ from: '../../b' })).toEqual([]);
    expect(await candidates({ from: 'lodash' })).toEqual([]);
    expect(await candidates({ from: '..' })).toContain('index.ts');
  });

  test('path aliases of the nearest tsconfig.json, also by extends and with comments', async () => {
    const files = {
      'app/tsconfig.json': '{ // local\n "extends": "../tsconfig.base", }',
      'tsconfig.base.json':
        '{ "compilerOptions": { "paths": { "@app/*": ["./app/src/*"], "@app/exact": ["./one.ts"] } } }',
    };
    const [first] = await candidates({ path: 'app/src/a.ts', from: '@app/util/b', files });
    expect(first).toBe('app/src/util/b.ts');
    expect((await candidates({ path: 'app/src/a.ts', from: '@app/exact', files }))[0]).toBe('one.ts');
    const outside = { 'tsconfig.json': '{ "compilerOptions": { "paths": { "up/*": ["../*"] }, "baseUrl": "lib" } }' };
    expect(await candidates({ from: 'up/secret', files: outside })).toEqual(
      expect.arrayContaining(['secret.ts', 'lib/up/secret.ts']),
    );
    const beyond = { 'tsconfig.json': '{ "compilerOptions": { "paths": { "up/*": ["../*"] } } }' };
    expect(await candidates({ from: 'up/secret', files: beyond })).toEqual([]);
    const cyclic = { 'tsconfig.json': '{ "extends": "./tsconfig.json" }' };
    expect(await candidates({ from: 'b', files: cyclic })).toEqual([]);
  });

  test('imports of package.json, and packages of the workspace by the sources behind their entries', async () => {
    const files = {
      'package.json': '{ "imports": { "#db": { "types": "./dist/db.d.ts", "default": "./dist/db.js" } } }',
      'packages/core/package.json': '{ "exports": { ".": "./dist/index.js", "./part/*": "./dist/parts/*.js" } }',
    };
    expect(await candidates({ from: '#db', files })).toContain('src/db.ts');
    const packages = { '@me/core': 'packages/core' };
    expect(await candidates({ from: '@me/core', files, packages })).toContain('packages/core/src/index.ts');
    expect(await candidates({ from: '@me/core/part/b', files, packages })).toContain('packages/core/src/parts/b.ts');
    expect(await candidates({ from: '@me/other', files, packages })).toEqual([]);
  });
});
