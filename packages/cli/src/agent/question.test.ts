import type { PermissionRequest } from 'longhaul/agent';
import { describe, expect, test } from 'vitest';
import { questionFor } from './consent.ts';

function question(command: string, more: object = {}): string {
  const access: PermissionRequest['access'] = { kind: 'execute', command, cwd: '/p', ...more };
  const request = { callId: 'c', tool: 'bash', input: {}, access, summary: 'bash: cut…', reason: 'it runs a command' };
  return questionFor({ request, isSavable: false });
}

describe('the question about a command shows exactly what runs', () => {
  test('the whole line, however long, with the paths that are in it', () => {
    const command = `cat /p/a /b/p/c ${'x'.repeat(5000)}; rm -rf /p`;
    expect(question(command)).toContain(`  | ${command}\n`);
  });

  test('every line of it on a row of its own, and nothing else looks like one', () => {
    const shown = question('npm test\n\nrm x\\n');
    expect(shown).toContain('3 lines');
    expect(shown).toContain('\n  1 | npm test\n  2 | \n  3 | rm x\\n\n');
  });

  test.each([
    ['\u001b[2K', '⟦U+001B⟧[2K'],
    ['a\rb', 'a⟦U+000D⟧b'],
    ['a\tb', 'a⟦U+0009⟧b'],
    ['\u202e', '⟦U+202E⟧'],
    ['\u2066', '⟦U+2066⟧'],
    ['\u200b', '⟦U+200B⟧'],
    ['\u00a0', '⟦U+00A0⟧'],
    ['\u3164', '⟦U+3164⟧'],
    ['\ufe0f', '⟦U+FE0F⟧'],
    ['\u2028', '⟦U+2028⟧'],
    ['\u{e0041}', '⟦U+E0041⟧'],
    ['\ud800', '⟦U+D800⟧'],
    ['⟦U+202E⟧', '⟦U+27E6⟧U+202E⟧'],
  ])('%j is marked', (text, shown) => expect(question(`ls ${text}`)).toContain(`  | ls ${shown}\n`));

  test('where it runs, and why it is asked about', () => {
    expect(question('ls')).toMatch(/^Run in \/p, without a sandbox; it runs a command:\n/);
    const sandbox = { name: 'bubblewrap', network: false, isLeft: false };
    expect(question('ls', { sandbox })).toMatch(/^Run in \/p, in the sandbox \(bubblewrap, network off\);/);
    expect(question('ls', { sandbox: { ...sandbox, isLeft: true } })).toMatch(
      /^Run in \/p, outside the sandbox \(bubblewrap\)/,
    );
  });
});

describe('the question about a file shows what would change', () => {
  const access: PermissionRequest['access'] = { kind: 'write', paths: ['/p/a.ts'], isOutside: false };
  const about = (preview: string) =>
    questionFor({
      request: { callId: 'c', tool: 'edit', input: {}, access, summary: 'edit /p/a.ts (it changes a file)', preview },
      isSavable: true,
    });

  test('the diff, with invisible characters marked', () => {
    const shown = about('--- a/a.ts\n+++ b/a.ts\n-const a = 1;\n+const a = "\u202e";\n');
    expect(shown).toContain('  | -const a = 1;\n  | +const a = "⟦U+202E⟧";\n');
    expect(shown).toContain('f = always in this folder');
  });

  test('a long one is cut, and says so', () => {
    const shown = about(Array.from({ length: 500 }, (_, line) => `+line ${line} ${'x'.repeat(500)}`).join('\n'));
    expect(shown).toContain('  | … 440 more lines\n');
    expect(shown.length).toBeLessThan(15_000);
  });
});
