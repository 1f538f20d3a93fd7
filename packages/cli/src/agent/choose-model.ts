import { LonghaulError } from 'longhaul';
import type { Model, WireLimits } from 'longhaul/models';
import type { Io } from '../io/io.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import type { Settings } from '../settings/schema.ts';

/** What is asked where a provider has a key and nobody named a model: neither its dearest nor its smallest. */
export const usualModels: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  openai: 'openai/gpt-6.1-sol',
  google: 'google/gemini-3.8-flash',
  openrouter: 'openrouter/anthropic/claude-sonnet-5.5',
};

/**
 * The model of the settings; where none is named, that of the first provider with a key, else the first of a server on
 * this machine.
 *
 * @example
 * const model = await chooseModel({ values, io });
 */
export async function chooseModel({
  values,
  io,
}: {
  readonly values: Pick<Settings, 'model' | 'window' | 'limits'>;
  readonly io: Pick<Io, 'env' | 'models'>;
}): Promise<Model> {
  const { model: wanted, window } = values;
  const limits = wireLimitsOf(values);
  const name = wanted.trim() === '' || wanted === 'auto' ? await usualName({ io, limits }) : wanted;
  const model = await io.models.create({ name, env: io.env, limits, retry: false });
  if (window === undefined) return model;
  const { inputLimit: _, ...info } = model.info;
  return { ...model, info: { ...info, window, maxOutput: Math.min(info.maxOutput, Math.ceil(window / 4)) } };
}

async function usualName({
  io: { env, models },
  limits,
}: {
  readonly io: Pick<Io, 'env' | 'models'>;
  readonly limits: Partial<WireLimits>;
}): Promise<string> {
  const remote = (await models.list({ env })).find(
    ({ provider, configured }) => configured && usualModels[provider] !== undefined,
  );
  const usual = remote && usualModels[remote.provider];
  if (usual !== undefined) return usual;
  const local = (await models.list({ env, probe: true, limits })).find((each) => each.server && each.models.length > 0);
  const [first] = local?.models ?? [];
  if (first === undefined) throw noModel();
  return first;
}

function noModel(): LonghaulError {
  return new LonghaulError({
    code: 'no-model',
    message: 'there is no model to ask: no key of a provider is set, and no server on this machine answers.',
    hint: [
      'Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start Ollama, llama.cpp, LM Studio or vLLM.',
      '`longhaul models` tells what is missing; `longhaul demo` shows the agent at work without any of it.',
    ].join('\n'),
  });
}
