import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePage } from '../../packages/engine/scripts/make-page.ts';

test('the page that is exported is the one in the folder: run packages/engine/scripts/make-page.ts', async () => {
  const file = join(import.meta.dirname, '../../packages/engine/src/session/formats/html/page.generated.ts');
  expect(await makePage()).toBe(readFileSync(file, 'utf8'));
});
