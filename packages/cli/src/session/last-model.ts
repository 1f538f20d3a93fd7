import type { Entry, SessionSummary, Store } from 'longhaul/session';
import { modelIn } from './model-of.ts';

/** Newest entries that are searched for a model; a model that was used is named in nearly every one. */
const newest = 40;

/**
 * The model that a session used last, as `PROVIDER/MODEL`, found without reading the whole log.
 *
 * @example
 * await lastModel({ store, session }); // 'anthropic/claude-sonnet-5-5'
 */
export async function lastModel({
  store,
  session: { header },
}: {
  readonly store: Store;
  readonly session: Pick<SessionSummary, 'header'>;
}): Promise<string | undefined> {
  try {
    const { last, epoch } = await store.head(header.id);
    const tail = await store.read({ session: header.id, query: { after: Math.max(0, last - newest) } });
    const found = tail.reduceRight<string | undefined>((model, entry) => model ?? nameIn(entry), undefined);
    if (found !== undefined || epoch === null) return found;
    const [opened] = await store.read({ session: header.id, query: { ids: [epoch] } });
    return opened && nameIn(opened);
  } catch {
    // A damaged session is listed all the same.
    return undefined;
  }
}

function nameIn(entry: Entry): string | undefined {
  const model = modelIn(entry);
  return model && `${model.provider}/${model.name}`;
}
