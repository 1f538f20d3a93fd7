/** `node scripts/pack-tables.ts FROM TO`: writes the packed form of a vocabulary made by `make-tables.ts`, for a build. */
import { readFileSync, writeFileSync } from 'node:fs';
import { packVocabulary, readVocabulary } from '../src/tokens/bpe/vocabulary.ts';

const [, , from = '', to = ''] = process.argv;
writeFileSync(to, packVocabulary(readVocabulary(readFileSync(from))));
