import type { Model, TargetModel } from '../../models/index.ts';
import { modelBackend, type SummaryBackend } from './backend.ts';
import { type RemoteEndpoint, remoteBackend } from './remote.ts';

/** A model or endpoint for summaries, optionally limited to some conversations (D17). */
export type SummaryCandidate = Model | ChosenModel | ChosenEndpoint;

interface ChosenModel {
  /** A model, or a function that returns one for the model of the conversation. */
  readonly model: Model | ((conversation: TargetModel) => Model | undefined);
  /** Only for conversations with these models: `provider/name` or a name, with `*` as a wildcard. */
  readonly when?: readonly string[];
}

interface ChosenEndpoint {
  readonly remote: RemoteEndpoint;
  readonly when?: readonly string[];
}

/**
 * The backends that apply to a conversation, in order, each once.
 *
 * @example
 * const backends = voicesFor({ candidates: [{ model: small, when: ['claude-*'] }, large], conversation: live.model });
 */
export function backendsFor({
  candidates,
  conversation,
}: {
  readonly candidates: readonly SummaryCandidate[];
  readonly conversation: TargetModel | undefined;
}): SummaryBackend[] {
  // Deduplicated by identity, not by name: two URLs may share a name, and two endpoints a host.
  const backends = new Map<unknown, SummaryBackend>();
  for (const candidate of candidates) {
    if (!('stream' in candidate) && candidate.when && !fits({ patterns: candidate.when, conversation })) continue;
    if ('remote' in candidate) {
      const { url, headers } = candidate.remote;
      const key = JSON.stringify([url, headers]);
      if (!backends.has(key)) backends.set(key, remoteBackend(candidate.remote));
      continue;
    }
    const model = 'stream' in candidate ? candidate : modelOf({ candidate, conversation });
    if (model && !backends.has(model)) backends.set(model, modelBackend(model));
  }
  return [...backends.values()];
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
