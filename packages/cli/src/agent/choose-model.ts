import { LonghaulError } from 'longhaul';
import type { Model, WireLimits } from 'longhaul/models';
import type { Io } from '../io/io.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import type { Settings } from '../settings/schema.ts';
import { closest } from '../text/closest.ts';

/** The default model of each provider, used when a key is set and no model is named. */
export const defaultModels: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-5-5',
  openai: 'openai/gpt-6.1-sol',
  google: 'google/gemini-3.8-flash',
  openrouter: 'openrouter/anthropic/claude-sonnet-5.5',
};

/**
 * The model named in the settings; otherwise the default of the first provider with a key, otherwise the first model of
 * a local server.
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
  const name = wanted.trim() === '' || wanted === 'auto' ? await defaultName({ io, limits }) : wanted;
  const model = await io.models
    .create({ name, env: io.env, limits, retry: false, verify: true })
    .catch(async (error: unknown) => {
      throw await withNearName({ error, name, io });
    });
  if (window === undefined) return model;
  const { inputLimit: _, ...info } = model.info;
  return { ...model, info: { ...info, window, maxOutput: Math.min(info.maxOutput, Math.ceil(window / 4)) } };
}

/**
 * The model that a custom agent or command names, if it can be used; otherwise that of the settings.
 *
 * @example
 * const model = await chooseModelFor({ values, io, named: profile?.model, warn });
 */
export async function chooseModelFor({
  values,
  io,
  named,
  warn,
}: Parameters<typeof chooseModel>[0] & {
  readonly named: string | undefined;
  readonly warn: (text: string) => void;
}): Promise<Model> {
  if (named !== undefined) {
    const model = await chooseModel({ values: { ...values, model: named }, io }).catch(() => undefined);
    if (model) return model;
    warn(`The model ${named}, which the agent or command names, cannot be used; the usual one is.`);
  }
  return await chooseModel({ values, io });
}

/** Adds the likely model to the error for an unknown name. */
async function withNearName({
  error,
  name,
  io: { env, models },
}: {
  readonly error: unknown;
  readonly name: string;
  readonly io: Pick<Io, 'env' | 'models'>;
}): Promise<unknown> {
  if (!LonghaulError.is(error) || !['model-name', 'model-unknown'].includes(error.code)) return error;
  const known = (await models.list({ env })).flatMap((each) => each.models);
  const isWhole = name.includes('/');
  const near = closest({
    word: name,
    candidates: known.map((each) => (isWhole ? each : (each.split('/').at(-1) ?? ''))),
  });
  if (near === undefined) return error;
  const { code, message, hint, cause } = error;
  return new LonghaulError({ code, message: `${message} Did you mean ${near}?`, hint, cause });
}

async function defaultName({
  io: { env, models },
  limits,
}: {
  readonly io: Pick<Io, 'env' | 'models'>;
  readonly limits: Partial<WireLimits>;
}): Promise<string> {
  const remote = (await models.list({ env })).find(
    ({ provider, configured }) => configured && defaultModels[provider] !== undefined,
  );
  const fallback = remote && defaultModels[remote.provider];
  if (fallback !== undefined) return fallback;
  const local = (await models.list({ env, probe: true, limits })).find((each) => each.server && each.models.length > 0);
  const [first] = local?.models ?? [];
  if (first === undefined) throw noModel();
  return first;
}

function noModel(): LonghaulError {
  return new LonghaulError({
    code: 'no-model',
    message: 'No model is available: no provider key is set, and no local model server responds.',
    hint: [
      'Set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, or start Ollama, llama.cpp, LM Studio or vLLM.',
      'Run `longhaul models` to see what is missing. `longhaul demo` works without a model.',
    ].join('\n'),
  });
}
