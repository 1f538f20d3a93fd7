import { LonghaulError } from 'longhaul';
import { createModelSummarizer, type Summarizer } from 'longhaul/engine';
import type { Model } from 'longhaul/models';
import type { Io } from '../io/io.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import type { Settings } from '../settings/schema.ts';
import { asksModel } from './policy-of.ts';

/** The conversation's own model, if it is available. */
export type ConversationModel = () => Model | undefined | Promise<Model | undefined>;

/**
 * The summarizer of the settings, the same for every command; `undefined` if no model is used. Missing settings are
 * reported before any work is done.
 *
 * @example
 * const summarizer = await summarizerOf({ values, io, agentModel: () => agent.model });
 */
export async function summarizerOf({
  values,
  io,
  conversation = () => undefined,
  agentModel,
}: {
  readonly values: Pick<Settings, 'compaction' | 'limits'>;
  readonly io: Pick<Io, 'env' | 'fetch' | 'models'>;
  readonly conversation?: ConversationModel;
  /** The model of the agent that runs, which may be switched: by default it writes the summaries. */
  readonly agentModel?: () => Model;
}): Promise<Summarizer | undefined> {
  const { compaction } = values;
  const { summarizer, endpoint, model, candidates } = compaction;
  if (summarizer === 'extractive' || !(asksModel(compaction) || agentModel)) return undefined;
  const limits = wireLimitsOf(values);
  const chosen = await Promise.all([
    ...candidates.map(candidateOf),
    ...(model.trim() === '' ? [] : [candidateOf({ model: model.trim() })]),
    ...(endpoint.url.trim() === '' ? [] : [candidateOf({ ...endpoint, endpoint: endpoint.url.trim() })]),
  ]);
  const models = chosen.length === 0 ? await ownModel() : chosen.flat();
  if (models.length === 0) throw noModel();
  // The whole timeout may be used by one call or by many. The agent's own model uses the default.
  const ms = endpoint.timeout * 1000;
  return createModelSummarizer({ models, ...(chosen.length > 0 && { limits: { timeout: ms, deadline: ms } }) });

  async function ownModel(): Promise<readonly Candidate[]> {
    if (agentModel) return [{ model: agentModel }];
    const same = await conversation();
    return same ? [same] : [];
  }

  async function candidateOf(named: NamedCandidate): Promise<readonly Candidate[]> {
    const when = named.when && { when: named.when };
    if (named.endpoint !== undefined) {
      const headers = headersOf({ keyVariable: named.keyVariable ?? '', env: io.env });
      const window = named.window ?? endpoint.window;
      return [{ remote: { url: checked(named.endpoint), headers, window, fetch: io.fetch, limits }, ...when }];
    }
    if (named.model === 'conversation')
      return (await ownModel()).map((same) => ('stream' in same ? { model: same, ...when } : { ...same, ...when }));
    return [{ model: await io.models.create({ name: named.model ?? '', env: io.env, limits, retry: false }), ...when }];
  }
}

type NamedCandidate = Settings['compaction']['candidates'][number];
type Candidate = Parameters<typeof createModelSummarizer>[0]['models'][number];

/** Accepts only what `fetch` accepts, and no credentials, which `config show` would print. */
function checked(url: string): string {
  const { protocol, username, password } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new LonghaulError({
      code: 'bad-endpoint',
      message: `The endpoint ${JSON.stringify(url)} is not an HTTP address.`,
      hint: 'Use an address that begins with https:// or http://.',
    });
  }
  if (username || password) {
    throw new LonghaulError({
      code: 'bad-endpoint',
      message: 'The endpoint address contains a user name or password.',
      hint: 'Put the key into an environment variable and name it with --endpoint-key-variable.',
    });
  }
  return url;
}

function headersOf({ keyVariable, env }: { readonly keyVariable: string; readonly env: Io['env'] }) {
  const name = keyVariable.trim();
  if (name === '') return {};
  const key = env[name]?.trim() ?? '';
  if (key !== '') return { authorization: `Bearer ${key}` };
  throw new LonghaulError({
    code: 'no-key',
    message: `The environment variable ${name}, which holds the endpoint key, is not set.`,
    hint: 'Set it, or name another one with --endpoint-key-variable.',
  });
}

function noModel(): LonghaulError {
  return new LonghaulError({
    code: 'no-model',
    message: 'No model is configured for summaries.',
    hint: 'Name one with --summary-model NAME (`longhaul models` lists them) or your own endpoint with --endpoint URL, or use --summarizer extractive, which needs none.',
  });
}
