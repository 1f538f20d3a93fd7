import type { Session } from 'longhaul/session';
import type { Io } from '../io/io.ts';
import { modelOf } from '../session/model-of.ts';
import type { ConversationModel } from './summarizer-of.ts';

/**
 * Creates the model that a session used last; `undefined` if it is unknown or its key is not set.
 *
 * @example
 * const summarizer = await summarizerOf({ values, io, conversation: conversationModelOf({ live, io }) });
 */
export function conversationModelOf({
  live,
  io,
}: {
  readonly live: Session;
  readonly io: Pick<Io, 'env' | 'models'>;
}): ConversationModel {
  return async () => {
    const { provider, name } = await modelOf(live);
    if (provider === undefined) return undefined;
    return await io.models.create({ name: `${provider}/${name}`, env: io.env, retry: false }).catch(() => undefined);
  };
}
