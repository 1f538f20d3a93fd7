import { isObject, type JsonObject } from '../../json.ts';
import type { Entry, Session } from '../../session/index.ts';
import type { Standing } from './adopt.ts';

/** What a session has learned and agreed on, read off its log: on any machine the same. */
export async function standingOf(session: Session): Promise<Standing> {
  const [customs, models, { undone }] = await Promise.all([
    session.read({ types: ['custom'] }),
    session.read({ types: ['model_change'] }),
    session.history(),
  ]);
  const limits: Record<string, number> = {};
  let state: JsonObject = {};
  let tools: string | undefined;
  for (const { kind, data } of customs.flatMap(ours)) {
    if (kind === 'limit' && typeof data.model === 'string' && typeof data.window === 'number') {
      limits[data.model] = data.window;
    }
    if (kind === 'state') state = { ...state, ...data };
    if (kind === 'tools' && typeof data.hash === 'string') tools = data.hash;
  }
  const changed = models.at(-1);
  const model = changed?.type === 'model_change' ? `${changed.model.provider}/${changed.model.name}` : undefined;
  return {
    limits,
    state,
    isHeld: undone.some(({ entry }) => shrinking.has(entry.reason)),
    ...(tools !== undefined && { tools }),
    ...(model !== undefined && { model }),
  };
}

/** What makes the conversation smaller: whoever takes it back wants it as large as it is. */
const shrinking: ReadonlySet<string> = new Set(['compaction', 'prune']);

const prefix = 'longhaul:';

function ours(entry: Entry): { readonly kind: string; readonly data: JsonObject }[] {
  if (entry.type !== 'custom' || !entry.customType.startsWith(prefix) || !isObject(entry.data)) return [];
  return [{ kind: entry.customType.slice(prefix.length), data: entry.data }];
}
