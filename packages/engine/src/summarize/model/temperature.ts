import type { ModelInfo, ModelOptions, Thinking } from '../../models/index.ts';

/**
 * Temperature 0, except for models that reject it: always, or while thinking is on, which is the default of some.
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
