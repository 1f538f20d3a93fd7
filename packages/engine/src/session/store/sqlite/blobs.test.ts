import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Blobs } from './blobs.ts';
import { createFiles } from './files.ts';
import { temporaryFolder } from './fixtures.ts';

describe('blobs', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let blobs: Blobs;
  const open = (): Blobs => new Blobs({ files: createFiles(), folder: join(folder.dir, 'blobs'), session: 's1' });
  beforeEach(() => {
    folder = temporaryFolder();
    blobs = open();
  });
  afterEach(() => folder.remove());

  it('gives texts back, and keeps equal ones once', () => {
    const names = blobs.keep(['a', 'ü👍\u2028', 'a']);
    expect(names[0]).toBe(names[2]);
    expect(names.map((name) => open().text(name))).toEqual(['a', 'ü👍\u2028', 'a']);
    expect(readdirSync(join(folder.dir, 'blobs'))).toHaveLength(2);
  });

  it('says that one is missing or changed', () => {
    const [one = '', two = ''] = blobs.keep(['one', 'two']);
    writeFileSync(join(folder.dir, 'blobs', one), 'onE');
    rmSync(join(folder.dir, 'blobs', two));
    expect(() => blobs.text(one)).toThrow('not those that were written');
    expect(() => blobs.text(two)).toThrow('missing');
  });

  it('heals a damaged one when the same text comes again, and keeps what was there', () => {
    const [name = ''] = blobs.keep(['text']);
    writeFileSync(join(folder.dir, 'blobs', name), 'tex');
    expect(open().keep(['text'])).toEqual([name]);
    expect(blobs.text(name)).toBe('text');
    expect(readdirSync(join(folder.dir, 'blobs')).filter((file) => file.endsWith('.damaged'))).toHaveLength(1);
  });
});
