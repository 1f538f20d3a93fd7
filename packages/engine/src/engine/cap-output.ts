import type { ContextItem, Draft } from '../session/index.ts';
import { capOutputs } from './prune/cap.ts';
import { offloadOutputs } from './prune/offload-outputs.ts';

/** A result that is too large is cut or kept aside the first time it is sent; all of it stays under its handle. */
export function asSent<D extends Draft>({
  draft,
  offloads: above,
  window = Number.POSITIVE_INFINITY,
  count,
  said,
}: {
  readonly draft: D;
  readonly offloads: number | undefined;
  readonly window: number | undefined;
  readonly count: (text: string) => number;
  readonly said: readonly ContextItem[];
}): D {
  if (draft.type !== 'message' || draft.sent !== undefined) return draft;
  const { message } = draft;
  if (!message.parts.some(({ type }) => type === 'tool_result')) return draft;
  const sentAs = (handle: number) => {
    const aside = above === undefined ? message : offloadOutputs({ message, handle, above, said });
    const capped = capOutputs({ message: aside, handle, window, count });
    return capped === message ? undefined : capped;
  };
  return { ...draft, sentAs };
}
