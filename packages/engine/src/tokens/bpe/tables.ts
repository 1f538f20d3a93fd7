import { open, readFile } from 'node:fs/promises';
import { LonghaulError } from '../../errors.ts';
import { locate } from '../../locate.ts';
import type { Encoding } from '../encodings.ts';
import { readClasses } from './classes.ts';
import { createCl100kSplit, createO200kSplit, type Split } from './split.ts';
import { readVocabulary, unpackVocabulary, type Vocabulary } from './vocabulary.ts';

export interface Tables {
  readonly vocabulary: Vocabulary;
  readonly split: Split;
}

const loaded = new Map<Encoding, Promise<Tables>>();
let classes: Promise<Uint8Array> | undefined;

const splits = { o200k_base: createO200kSplit, cl100k_base: createCl100kSplit };

/** Reads an encoding's tables on first use and keeps them. */
export function loadTables(encoding: Encoding): Promise<Tables> {
  let tables = loaded.get(encoding);
  if (!tables) {
    tables = read(encoding);
    loaded.set(encoding, tables);
    tables.catch(() => loaded.delete(encoding));
  }
  return tables;
}

async function read(encoding: Encoding): Promise<Tables> {
  classes ??= file('classes.bin').then(readClasses);
  const [ofCharacters, vocabulary] = await Promise.all([classes, vocabularyOf(encoding)]);
  return { vocabulary, split: splits[encoding](ofCharacters) };
}

/** A build may have a packed vocabulary, which needs no work to read. */
async function vocabularyOf(encoding: Encoding): Promise<Vocabulary> {
  const packed = await readAtOnce(tableUrl(`${encoding}.packed`)).catch(() => undefined);
  return (packed && unpackVocabulary(packed)) ?? readVocabulary(await file(`${encoding}.bin`));
}

/** `readFile` reads large files in many pieces, which takes half as long again. */
async function readAtOnce(url: URL): Promise<Uint8Array> {
  const handle = await open(url);
  try {
    const { size } = await handle.stat();
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function tableUrl(name: string): URL {
  return locate({ from: import.meta.url, file: `tables/${name}` });
}

async function file(name: string): Promise<Uint8Array> {
  const url = tableUrl(name);
  try {
    return await readFile(url);
  } catch (cause) {
    throw new LonghaulError({
      code: 'tokens-table-missing',
      message: `The table ${name} cannot be read at ${url.pathname}.`,
      hint: 'Install the package again, or keep "longhaul" external when bundling.',
      cause,
    });
  }
}
