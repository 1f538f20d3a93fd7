import { describe, expect, it } from 'vitest';
import { allImports, boundaryProblems } from './boundaries.ts';
import { parseImports } from './imports.ts';

const check = (file: string, text: string) => boundaryProblems(parseImports({ file, text }));

describe('the order of the modules', () => {
  it('holds in every source file', () => {
    const imports = allImports();
    expect(imports.length).toBeGreaterThan(300);
    expect(boundaryProblems(imports)).toEqual([]);
  });

  it.each([
    ['packages/engine/src/message/a.ts', "import { x } from '../models/index.ts';", 'may not import models'],
    ['packages/engine/src/message/a.ts', "export type { X } from '../testing/index.ts';", 'may not import testing'],
    ['packages/engine/src/message/a.ts', "const x = await import('../agent/index.ts');", 'may not import agent'],
    ['packages/engine/src/models/a.ts', "import {\n  x,\n  y,\n} from '../message/codecs/wire.ts';", 'a private file'],
    ['packages/engine/src/kitchen/a.ts', "import { x } from '../message/index.ts';", 'an unknown module'],
    ['packages/engine/src/message/a.ts', "import { x } from 'longhaul/message';", 'a package above the engine'],
    ['packages/engine/src/testing/judge/a.ts', "import { check } from '../../message/index.ts';", 'share no code'],
    ['packages/cli/src/a.ts', "import { x } from '../../engine/src/message/index.ts';", 'a file of the engine'],
    ['packages/cli/src/a.ts', "import { x } from '../../gateway/src/a.ts';", 'another package'],
  ])('is defended: %s with %s', (file, text, problem) => {
    expect(check(file, text)).toEqual([expect.stringContaining(problem)]);
  });

  it('lets through what it should', () => {
    expect(
      check('packages/engine/src/models/a.ts', "import { x } from '../message/index.ts';\nimport '../errors.ts';"),
    ).toEqual([]);
    expect(
      check('packages/cli/src/a.ts', "import { x } from 'longhaul/message';\nimport { y } from './b.ts';"),
    ).toEqual([]);
  });
});
