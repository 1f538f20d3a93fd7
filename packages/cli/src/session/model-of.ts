import { type Dialect, dialects } from 'longhaul/message';
import { type ModelInfo, modelInfo } from 'longhaul/models';
import type { Entry, ModelName, Session } from 'longhaul/session';

/** The model that the session used last, and what is known about it. */
export async function modelOf(live: Session): Promise<ModelInfo> {
  const path = await live.path();
  const name = path.reduceRight<ModelName | undefined>((found, entry) => found ?? modelIn(entry), undefined);
  return modelInfo({ name: name?.name ?? 'unknown', ...(name && { provider: name.provider }) });
}

/** The model that an entry of the conversation names. */
export function modelIn(entry: Entry): ModelName | undefined {
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
