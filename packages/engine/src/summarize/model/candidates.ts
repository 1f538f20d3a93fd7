import type { Model, TargetModel } from '../../models/index.ts';
import { type SummaryBackend, modelBackend } from './backend.ts';
import { type RemoteEndpoint, remoteBackend } from './remote.ts';

/** Who may be asked for summaries, and for which conversations (D17). */
export type SummaryCandidate = Model | ChosenModel | ChosenEndpoint;

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
export function backendsFor({
  candidates,
  conversation,
}: {
  readonly candidates: readonly SummaryCandidate[];
  readonly conversation: TargetModel | undefined;
}): SummaryBackend[] {
  // By what is asked, not by its name: one name may stand behind two addresses, and two endpoints behind one host.
  const voices = new Map<unknown, SummaryBackend>();
  for (const candidate of candidates) {
    if (!('stream' in candidate) && candidate.when && !fits({ patterns: candidate.when, conversation })) continue;
    if ('remote' in candidate) {
      const { url, headers } = candidate.remote;
      const key = JSON.stringify([url, headers]);
      if (!voices.has(key)) voices.set(key, remoteBackend(candidate.remote));
      continue;
    }
    const model = 'stream' in candidate ? candidate : modelOf({ candidate, conversation });
    if (model && !voices.has(model)) voices.set(model, modelBackend(model));
  }
  return [...voices.values()];
}

function modelOf(of: { readonly candidate: ChosenModel; readonly conversation: TargetModel | undefined }) {
  const { model } = of.candidate;
  return typeof model === 'function' ? of.conversation && model(of.conversation) : model;
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
