import type { ModelInfo, ModelOptions, Thinking } from '../../models/index.ts';

/**
 * Temperature 0, but for models that reject it: some always, some while they think, and some of those think unless they
 * are told not to.
 *
 * @example
 * temperatureFor({ info: modelInfo({ name: 'gpt-4.1' }) }); // { temperature: 0 }
 */
export function temperatureFor({
  info,
  thinking,
}: {
  readonly info: Pick<ModelInfo, 'quirks' | 'capabilities'>;
  readonly thinking?: Thinking | undefined;
}): Pick<ModelOptions, 'temperature'> {
  if (info.quirks.includes('noTemperature')) return {};
  const mayThink = thinking === undefined ? info.capabilities.thinking === 'adaptive' : thinking !== 'off';
  return mayThink && info.quirks.includes('noTemperatureWithThinking') ? {} : { temperature: 0 };
}
