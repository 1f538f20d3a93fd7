import { type Dialect, dialects } from 'longhaul/message';
import { type ModelInfo, modelInfo } from 'longhaul/models';
import type { Entry, ModelName, Session, SessionId, Store } from 'longhaul/session';

/** The model that the session used last, and what is known about it. */
export async function modelOf(live: Session): Promise<ModelInfo> {
  const path = await live.path();
  const name = path.reduceRight<ModelName | undefined>((found, entry) => found ?? modelIn(entry), undefined);
  return modelInfo({ name: name?.name ?? 'unknown', ...(name && { provider: name.provider }) });
}

/** The model that an entry of the conversation names. */
function modelIn(entry: Entry): ModelName | undefined {
  if (entry.type === 'message') return entry.by;
  return entry.type === 'model_change' || entry.type === 'epoch' ? entry.model : undefined;
}

/** The dialect of a session: that of its model, or of the file it was imported from. */
export function providerOf({ live, model }: { readonly live: Session; readonly model: ModelInfo }): Dialect {
  const [spoken] = model.dialects;
  if (model.known && spoken) return spoken;
  const format = live.header.source?.format;
  return dialects.find((dialect) => dialect === format) ?? 'anthropic';
}

/** Newest entries that are searched for a model; a model that was used is named in nearly every one. */
const newest = 40;

/**
 * The model that a session used last, as `PROVIDER/MODEL`, found without reading the whole log.
 *
 * @example
 * await lastModel({ store, id }); // 'anthropic/claude-sonnet-5-5'
 */
export async function lastModel({
  store,
  id,
}: {
  readonly store: Store;
  readonly id: SessionId;
}): Promise<string | undefined> {
  try {
    const { last, epoch } = await store.head(id);
    const tail = await store.read({ session: id, query: { after: Math.max(0, last - newest) } });
    const found = tail.reduceRight<string | undefined>((model, entry) => model ?? nameIn(entry), undefined);
    if (found !== undefined || epoch === null) return found;
    const [opened] = await store.read({ session: id, query: { ids: [epoch] } });
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
