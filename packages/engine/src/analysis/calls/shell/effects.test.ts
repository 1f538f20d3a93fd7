import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { runs } from '../../../testing/runs.ts';
import { shellEffects } from './effects.ts';

const changed = (line: string) => shellEffects({ line }).changes.map(({ path, op }) => `${op} ${path}`);
const read = (line: string) => shellEffects({ line }).reads.map(({ path }) => path);

describe('files that a plain command changes', () => {
  test.each([
    ['echo hi > out.txt', ['edit out.txt']],
    ['echo hi >> "with space.txt" 2>&1', ['edit with space.txt']],
    ['make &> build.log', ['edit build.log']],
    ['npm test 2> errors.log', []],
    ['ls > /dev/null', []],
    ['cat a | tee -a b c', ['edit b', 'edit c']],
    ['touch a b', ['edit a', 'edit b']],
    ['rm -rf dist/a.js', ['delete dist/a.js']],
    ['cp a.ts b.ts', ['edit b.ts']],
    ['cp a.ts b.ts lib/', ['edit lib/a.ts', 'edit lib/b.ts']],
    ['cp -r src lib', []],
    ['mv a.ts b.ts', ['delete a.ts', 'edit b.ts']],
    ['mv a.ts ../lib/', ['delete a.ts', 'edit ../lib/a.ts']],
    ["sed -i 's/a/b/' x.ts", ['edit x.ts']],
    ["sed -i '' -e 's/a/b/' x.ts y.ts", ['edit x.ts', 'edit y.ts']],
    ["sed -n '1,5p' x.ts", []],
    ["perl -pi -e 's/a/b/' x.ts", ['edit x.ts']],
    ["perl -MList::Util -e 'print 1' x.ts", []],
    ['git mv a b', ['delete a', 'edit b']],
    ['git -C sub checkout HEAD~1 -- a.ts', ['edit a.ts']],
    ['git rm a b', ['delete a', 'delete b']],
    ['git rm --cached a', []],
    ['git checkout -- .', []],
    ['git checkout main', []],
    ['git restore a.ts', ['edit a.ts']],
    ['git restore --staged a.ts', []],
    ['cd pkg && touch a.ts && cd .. && touch b.ts', ['edit pkg/a.ts', 'edit b.ts']],
    ['sudo FOO=1 timeout -k 5 60 touch a', ['edit a']],
    [`bash -lc "cd x; echo hi > 'a b'"`, ['edit x/a b']],
    ['rm $FILE *.tmp', []],
    ['echo "a > b" # > c', []],
    ['if true; then touch a; fi', ['edit a']],
    ['edit 1:3\nprint(a > b)\nend_of_edit', []],
  ])('%s', (line, expected) => {
    expect(changed(line)).toEqual(expected);
  });

  it('knows the content of a here-document that is written verbatim', () => {
    const line = "cat > a.md <<'END'\n# Title\n- [ ] $x\nEND\ntouch b";
    expect(shellEffects({ line }).changes).toEqual([
      { path: 'a.md', op: 'write', added: '# Title\n- [ ] $x\n', removed: '' },
      { path: 'b', op: 'edit', added: '', removed: '' },
    ]);
    expect(changed('cat > a.md <<END\n$x\nEND')).toEqual(['edit a.md']);
    expect(changed("python - > a.md <<'END'\nprint(1 > 0)\nEND")).toEqual(['edit a.md']);
  });

  it('finds a patch in a command', () => {
    const line = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** End Patch\nEOF";
    expect(changed(line)).toEqual(['edit a.ts']);
  });

  it('leaves texts of PowerShell alone', () => {
    const line = "$body = @'\nit's > friction\n'@\nSet-Content docs\\a.md $body; Remove-Item b.md";
    const { changes } = shellEffects({ line, isWindows: true });
    expect(changes.map(({ path, op }) => `${op} ${path}`)).toEqual(['edit docs\\a.md', 'delete b.md']);
  });

  it('tells changes that hold also when the tests after them fail', () => {
    expect(shellEffects({ line: "sed -i 's/a/b/' x.ts && npm test && touch done" })).toMatchObject({ certain: 1 });
    expect(shellEffects({ line: "npm test && sed -i 's/a/b/' x.ts" })).toMatchObject({ certain: 0 });
  });
});

test.each([
  ['cat a.ts', ['a.ts']],
  ['cat -n a.ts b.ts', ['a.ts', 'b.ts']],
  ["sed -n '1,40p' src/a.ts", ['src/a.ts']],
  ["nl -ba src/a.ts | sed -n '1,40p'", ['src/a.ts']],
  ['head -n 20 a.ts', ['a.ts']],
  ['git log | head -5', []],
  ['rg foo src | tail -20', []],
])('files that are shown: %s', (line, expected) => {
  expect(read(line)).toEqual(expected);
});

it('knows the lines that sed shows', () => {
  expect(shellEffects({ line: "sed -n '40,80p' a" }).reads).toEqual([
    { path: 'a', isRaw: false, lines: { from: 40, to: 80 } },
  ]);
  expect(shellEffects({ line: "cat b; nl -ba a | sed -n '40,80p'" }).reads).toEqual([
    { path: 'b', isRaw: true },
    { path: 'a', isRaw: false, lines: { from: 40, to: 80 } },
  ]);
  expect(shellEffects({ line: 'cat a | grep x' }).reads).toEqual([{ path: 'a', isRaw: false, lines: 'some' }]);
});

test.each([
  ['npm test', true],
  ['pnpm run check-types && echo ok', true],
  ['CI=1 npx vitest run a.test.ts', true],
  ['go test ./...', true],
  ['python -m pytest -q', true],
  ['cargo clippy', true],
  ['npm install', false],
  ['cat test.log', false],
  ['grep -rn test src', false],
  ['git commit -m "fix test"', false],
])('whether it judges the code: %s', (line, expected) => {
  expect(shellEffects({ line }).isRun).toBe(expected);
});

test.each([
  ['ls -la && cat a | grep b', true],
  ['git status --short && git log -3', true],
  ['git branch -d old', false],
  ['cd a && npm ci', false],
  ['echo hi > a', false],
])('whether it only looks: %s', (line, expected) => {
  expect(shellEffects({ line }).isLook).toBe(expected);
});

it('takes anything for a command line', () => {
  const pieces = fc.constantFrom(
    'a',
    ' ',
    "'",
    '"',
    '`',
    '$(',
    ')',
    '<<E',
    '\n',
    '>',
    '>>',
    '&',
    '|',
    '\\',
    '#',
    '@"',
    '${',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), fc.boolean(), (parts, isWindows) => {
      const effects = shellEffects({ line: parts.join(''), isWindows });
      expect(effects.certain).toBeLessThanOrEqual(effects.changes.length);
    }),
    runs(500),
  );
});
