import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyTable } from './index.ts';

it('docs/terminal.md has the table of keys', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/terminal.md'), 'utf8');
  expect(page).toContain(keyTable());
});
