import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../testing/runs.ts';
import { type ShellEvent, shellEvents } from './command.ts';
import { verdictOf } from './verdict.ts';

const names = Object.keys(shellEvents) as ShellEvent[];

const outputs = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.json(),
  fc
    .dictionary(
      fc.constantFrom('cancel', 'pins', 'context', 'focus', 'replace', 'keep', 'decision', 'continue', '__proto__'),
      fc.jsonValue(),
    )
    .map((value) => JSON.stringify(value)),
);

test('whatever a command says and however it ends, that has a meaning, and only a decision blocks', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.record({
        stdout: outputs,
        stderr: fc.string(),
        isLate: fc.boolean(),
        isCut: fc.boolean(),
        ms: fc.nat(),
        code: fc.oneof(fc.constantFrom(0, 2, null), fc.integer({ min: 0, max: 255 })),
      }),
      (name, ended) => {
        const verdict = verdictOf({ name, ended });
        if (verdict.as === 'block') {
          expect(['PreCompact', 'PreMove']).toContain(name);
          expect(ended.isLate).toBe(false);
          expect(ended.code === 2 || /"(cancel|decision|continue)"/.test(ended.stdout)).toBe(true);
          expect(verdict.reason).not.toBe('');
        }
        if (ended.code !== 0 && ended.code !== 2) expect(verdict.as).toBe('failure');
        if (verdict.as === 'failure') expect(verdict.why).toMatch(/^It|^What/);
      },
    ),
    { ...runs(500), endOnFailure: true },
  );
});
