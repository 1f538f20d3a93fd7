import type { Session } from 'longhaul/session';
import type { Io } from '../io/io.ts';
import { modelOf } from '../session/model-of.ts';
import type { ConversationModel } from './summarizer-of.ts';

/**
 * The way to the model that a session spoke to last; it leads nowhere where that model is not known, or its key is not
 * set.
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
