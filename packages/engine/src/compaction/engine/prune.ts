import type { EntryId, Session } from '../../session/index.ts';
import type { EngineEvents } from './events.ts';
import type { Scale } from './scale.ts';

/** Elides old tool outputs where that frees enough to be worth an epoch. */
export async function elideOutputs(_of: {
  readonly session: Session;
  readonly scale: Scale;
  readonly emit: <Name extends keyof EngineEvents>(name: Name, event: EngineEvents[Name]) => void;
}): Promise<EntryId | undefined> {
  return undefined;
}
