import type { Model } from '../../../models/index.ts';
import type { TargetModel } from '../../engine/scale.ts';
import { type RemoteEndpoint, remoteVoice } from './remote.ts';
import { type Voice, voiceOf } from './voice.ts';

/** Who may be asked for summaries, and for which conversations (D17). */
export type Candidate = Model | ChosenModel | ChosenEndpoint;

interface ChosenModel {
  /** A model, or the way to the one that the conversation runs on. */
  readonly model: Model | ((conversation: TargetModel) => Model | undefined);
  /** Only for conversations with these models: `provider/name` or a name, in which `*` stands for anything. */
  readonly when?: readonly string[];
}

interface ChosenEndpoint {
  readonly remote: RemoteEndpoint;
  readonly when?: readonly string[];
}

/**
 * Those who can be asked about a conversation, in order, each once.
 *
 * @example
 * const voices = voicesFor({ candidates: [{ model: small, when: ['claude-*'] }, large], conversation: live.model });
 */
export function voicesFor({
  candidates,
  conversation,
}: {
  readonly candidates: readonly Candidate[];
  readonly conversation: TargetModel | undefined;
}): Voice[] {
  const voices = candidates.flatMap((candidate): Voice[] => {
    if ('stream' in candidate) return [voiceOf(candidate)];
    if (candidate.when && !fits({ patterns: candidate.when, conversation })) return [];
    if ('remote' in candidate) return [remoteVoice(candidate.remote)];
    const { model } = candidate;
    const found = typeof model === 'function' ? conversation && model(conversation) : model;
    return found ? [voiceOf(found)] : [];
  });
  return voices.filter(({ name }, index) => voices.findIndex((voice) => voice.name === name) === index);
}

function fits(of: { readonly patterns: readonly string[]; readonly conversation: TargetModel | undefined }): boolean {
  if (!of.conversation) return false;
  const { provider, name } = of.conversation.id;
  return of.patterns.some((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
    const whole = new RegExp(`^${parts.join('.*')}$`, 'i');
    return whole.test(name) || whole.test(`${provider}/${name}`);
  });
}
