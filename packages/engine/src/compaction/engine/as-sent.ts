import { type ContextItem, type Draft, ownHandle } from '../../session/index.ts';
import { capOutputs } from '../tool-output/cap.ts';
import { offloadOutputs } from '../tool-output/offload-outputs.ts';

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
  const aside = above === undefined ? message : offloadOutputs({ message, handle: ownHandle, above, said });
  const sent = capOutputs({ message: aside, handle: ownHandle, window, count });
  return sent === message ? draft : { ...draft, sent };
}
