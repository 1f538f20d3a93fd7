import type { JsonObject } from '../../../message/index.ts';
import type { ModelEvent } from '../../model.ts';
import type { Decoder } from './decoder.ts';

/** Feeds events to a decoder and tells all that it made of them. */
export function decodeAll({ decoder, events }: { readonly decoder: Decoder; readonly events: readonly JsonObject[] }) {
  const heard: ModelEvent[] = events.flatMap((event) => [...decoder.read(event)]);
  return { heard, message: decoder.message(), ending: decoder.ending() };
}

/** Ids in the order in which they are asked for. */
export function counter(): () => string {
  let made = 0;
  return () => `made_${++made}`;
}
