import { type Dialect, dialects } from 'longhaul/message';
import { type ModelInfo, modelInfo } from 'longhaul/models';
import type { Entry, ModelName, Session } from 'longhaul/session';

/** The model that the session spoke to last, and what is known of it. */
export async function modelOf(live: Session): Promise<ModelInfo> {
  const path = await live.path();
  const name = path.reduceRight<ModelName | undefined>((found, entry) => found ?? modelIn(entry), undefined);
  return modelInfo({ name: name?.name ?? 'unknown', ...(name && { provider: name.provider }) });
}

function modelIn(entry: Entry): ModelName | undefined {
  if (entry.type === 'message') return entry.by;
  return entry.type === 'model_change' || entry.type === 'epoch' ? entry.model : undefined;
}

/** The dialect that a session is told in: that of its model, or of the file it came from. */
export function providerOf({ live, model }: { readonly live: Session; readonly model: ModelInfo }): Dialect {
  const [spoken] = model.dialects;
  if (model.known && spoken) return spoken;
  const format = live.header.source?.format;
  return dialects.find((dialect) => dialect === format) ?? 'anthropic';
}
