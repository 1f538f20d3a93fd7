import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { root } from './imports.ts';

/** Places where an object literal is spread into another one. */
function packedObjects({ file, text }: { readonly file: string; readonly text: string }): string[] {
  const found: string[] = [];
  const visitor = new Visitor({
    ObjectExpression({ properties }) {
      for (const property of properties)
        if (property.type === 'SpreadElement' && property.argument.type === 'ObjectExpression')
          found.push(`${file}:${text.slice(0, property.start).split('\n').length}`);
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

it('properties are written plainly: no object literal is spread into another only to share a line', () => {
  expect(packedObjects({ file: 'a.ts', text: 'const a = { b: 1,\n ...{ c, d }, ...(e && { f }) };' })).toEqual([
    'a.ts:2',
  ]);
  const files = ['packages', 'test', 'bench', 'soak', 'eval'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(node_modules|dist)\//.test(name))
      .map((name) => join(folder, name)),
  );
  const packed = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return text.includes('...{') ? packedObjects({ file, text }) : [];
  });
  expect(packed).toEqual([]);
});
