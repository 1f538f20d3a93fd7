import { isArray, isObject, type Json } from '../../json.ts';
import type { DatabaseFormat, DocumentFormat } from '../format.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { readDatabase } from './database.ts';
import type { Stored } from './message.ts';
import { entriesOf, headerOf, type OpencodeInfo } from './read.ts';

/** What `opencode export` writes: one session. */
export const opencodeExport: DocumentFormat = {
  kind: 'document',
  name: 'opencode',
  isDocument: (value) => exported(value) !== undefined,
  read({ value, warnings }) {
    const { info = { id: '' }, messages = [] } = exported(value) ?? {};
    return {
      format: 'opencode',
      key: info.id,
      header: headerOf(info),
      async *entries({ createdAt: startedAt }) {
        const skips = createSkipCounter({ warnings });
        yield* entriesOf({ info, messages, skips, warnings, startedAt });
        skips.report();
      },
    };
  },
};

/** opencode's own database: all sessions of a machine. */
export const opencodeDatabase: DatabaseFormat = { kind: 'database', name: 'opencode', read: readDatabase };

function exported(value: Json): { readonly info: OpencodeInfo; readonly messages: readonly Stored[] } | undefined {
  if (!isObject(value) || !isObject(value.info) || !isArray(value.messages)) return undefined;
  const { id } = value.info;
  const messages = value.messages.flatMap((message) => storedOf(message) ?? []);
  if (typeof id !== 'string' || messages.length < value.messages.length) return undefined;
  return { info: { ...value.info, id }, messages };
}

function storedOf(value: Json): Stored | undefined {
  if (!isObject(value) || !isObject(value.info) || !isArray(value.parts)) return undefined;
  return { info: value.info, parts: value.parts.filter(isObject) };
}
