import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileOf, makePage, pages } from '../../packages/engine/scripts/make-page.ts';

test.each(pages)(
  'the page of a $name is the one in the folder: run packages/engine/scripts/make-page.ts',
  async (page) => {
    expect(await makePage(page)).toBe(readFileSync(fileOf(page), 'utf8'));
  },
);
