import type { Dialect } from '../judge/index.ts';
import type { Json } from '../judge/json.ts';

/** The model list in the dialect's shape. */
export function modelsList({
  dialect,
  models,
  window,
}: {
  dialect: Dialect;
  models: readonly string[];
  window: number | undefined;
}): Json {
  if (dialect === 'gemini')
    return {
      models: models.map((name) => ({
        ...{ name: `models/${name}`, displayName: name, version: '1', outputTokenLimit: 65_536 },
        inputTokenLimit: window ?? 1_048_576,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      })),
    };
  if (dialect === 'anthropic')
    return {
      data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' })),
      ...{ has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null },
    };
  return {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'loopback' })),
  };
}
