import type { ToolDefinition } from '../../message/index.ts';
import {
  type Context,
  type Entry,
  type Head,
  MissingSessionError,
  type SessionHeader,
  type SessionId,
  type Store,
} from '../../session/index.ts';
import { EntryCache, loadLive, pages } from '../../session/internal.ts';
import type { WarningList } from '../warnings.ts';
import { createMasking, type MaskText } from './masking.ts';

/** So many entries are in memory at once, however long each of them is. */
const page = 200;

/** A session that is being written, as it was when that began: what is appended meanwhile is not part of it. */
export interface ExportSource {
  readonly header: SessionHeader;
  readonly head: Head;
  /** The log in order, page by page. Every call begins anew. */
  readonly entries: () => AsyncIterable<Entry>;
  /** What is sent at the leaf of the session. */
  readonly context: () => Promise<Context>;
  /** The tools that were offered last; `undefined` if the log does not name any. */
  readonly tools: () => Promise<readonly ToolDefinition[] | undefined>;
  /** What the format cannot say; complete once the text was read. */
  readonly warnings: WarningList;
}

/** Opens a session for a writer. With a mask, nothing leaves unmasked. */
export async function openSource({
  store,
  session,
  mask,
  warnings,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly mask: MaskText | undefined;
  readonly warnings: WarningList;
}): Promise<ExportSource & { readonly finish: () => void }> {
  const header = await store.header(session);
  if (!header) throw new MissingSessionError({ session });
  const head = await store.head(session);
  const masking = mask && createMasking({ mask, warnings });
  return {
    header: masking ? masking.header(header) : header,
    head,
    async *entries() {
      for await (const entries of pages({ store, session, last: head.last, size: page })) {
        for (const entry of entries) yield masking ? masking.entry(entry) : entry;
      }
    },
    async context() {
      const cache = new EntryCache({ store, session });
      const { context } = await loadLive({ store, session, cache, allowDamage: false });
      return masking ? masking.context(context) : context;
    },
    async tools() {
      const changes = await store.read({ session, query: { types: ['tools_change'] } });
      const newest = changes.findLast((entry) => entry.type === 'tools_change' && entry.handle <= head.last);
      if (newest?.type !== 'tools_change') return undefined;
      const shown = masking ? masking.entry(newest) : newest;
      return shown.type === 'tools_change' ? shown.tools : undefined;
    },
    warnings,
    finish: () => masking?.report(),
  };
}
