import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolCallPart } from 'longhaul/message';
import { describe, expect, test } from 'vitest';
import { continuityOf } from '../../eval/compact/user/continuity.ts';
import { editOf } from '../../eval/compact/user/edits.ts';
import { rulesIn } from '../../eval/compact/user/rules.ts';
import { root } from '../architecture/imports.ts';

function call(of: { readonly name: string; readonly arguments: unknown; readonly freeform?: true }): ToolCallPart {
  const { name, arguments: args, freeform } = of;
  const written = typeof args === 'string' ? args : JSON.stringify(args);
  return { type: 'tool_call', origin: 'model', id: 'c1', name, arguments: written, ...(freeform && { freeform }) };
}

describe('an edit', () => {
  test('is read from the arguments of editing tools, lists of edits too', () => {
    const edits = [{ oldText: 'const first = 1;', newText: 'const first = 2;' }];
    expect(editOf(call({ name: 'edit', arguments: { path: 'a.ts', edits } }))).toEqual({
      before: ['const first = 1;'],
      after: ['const first = 2;'],
    });
  });

  test('is read from a patch, with the lines around it', () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.ts\n@@\n function start() {\n-\treturn port;\n+\treturn 54329;\n';
    expect(editOf(call({ name: 'apply_patch', arguments: patch, freeform: true }))).toEqual({
      before: ['function start() {', 'return port;'],
      after: ['return 54329;'],
    });
  });

  test('is not what a call reads', () => {
    expect(editOf(call({ name: 'read', arguments: { path: 'src/a-long-name.ts' } }))).toBeUndefined();
  });
});

describe('continuity', () => {
  const edit = call({ name: 'edit', arguments: { path: 'src/a.ts', old_string: 'let retries = 3;', new_string: '' } });
  const last = call({ name: 'write', arguments: { path: 'src/b.ts', content: 'export const b = 1;' } });
  const whole = `src/a.ts\nlet retries = 3;\n${last.arguments}`;
  const about = { earlier: [last], later: [edit], whole };

  test('counts what the next calls need and what the last edits wrote', () => {
    const all = { found: 1, of: 1 };
    expect(continuityOf({ ...about, sent: whole })).toEqual({ values: all, anchors: all, edits: all });
    const none = { found: 0, of: 1 };
    expect(continuityOf({ ...about, sent: 'nothing' })).toEqual({ values: none, anchors: none, edits: none });
  });

  test('does not ask for what was not known before the cut', () => {
    expect(continuityOf({ ...about, whole: '', sent: '' }).anchors).toEqual({ found: 0, of: 0 });
  });
});

test('rules are found by their words, whatever their emphasis and line breaks', () => {
  const rule = { rule: '', quote: '[12 user] **Never** push to `main`', entry: 12, authority: 'human' };
  const stated = { session: 's', rules: [rule], open: [] };
  expect(rulesIn({ stated, sent: 'never push\n to main' }).byAuthority).toEqual({ human: { found: 1, of: 1 } });
  expect(rulesIn({ stated, sent: 'push to main' }).missed).toEqual([rule]);
});

test('`eval compact FOLDER --part user` asks of what the command prints, and lists apart where nothing was installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-eval-'));
  const fact = { role: 'user', content: 'The staging database listens on port 54329.' };
  const turns = Array.from({ length: 40 }, (_, turn) => [
    turn === 0 ? fact : { role: 'user', content: `Go on with part ${turn}.` },
    {
      role: 'assistant',
      content: Array.from({ length: 30 }, (_, row) => `row ${turn * 10 + row} is ordinary`).join('\n'),
    },
  ]);
  const probe = {
    id: 'p-01',
    category: 'recall',
    question: 'Which port does the staging database listen on?',
    match: 'contains',
    accept: ['54329'],
    tokens_to_cut: 30_000,
    mentions_in_last_20k_before_cut: 0,
  };
  const files = { long: turns.flat(), short: [fact, { role: 'assistant', content: 'Noted.' }] };
  const sessions = Object.entries(files).map(([session, lines]) => {
    writeFileSync(join(folder, `${session}.jsonl`), lines.map((line) => JSON.stringify(line)).join('\n'));
    return { session, file: `${session}.jsonl`, format: 'messages', cut_entry_70pct: 75, probes: [probe] };
  });
  writeFileSync(join(folder, 'probes.json'), JSON.stringify({ sessions }));
  const args = ['--conditions=longhaul-source', join(root, 'eval/main.ts'), 'compact', folder, '--part', 'user'];
  const text = execFileSync(process.execPath, [...args, '--windows', '12000'], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  const [installed = '', apart = ''] = text.split('Nothing was installed in:');
  expect(installed).toMatch(/\| long \| 100 % \| 100 % \| 100 %/);
  expect(apart).toMatch(/\| short \| 100 %/);
  expect(apart).toContain('all, these included');
});
