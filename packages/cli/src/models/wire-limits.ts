import type { WireLimits } from 'longhaul/models';
import type { Settings } from '../settings/schema.ts';

/** The settings that limit calls to models, for commands that make some. */
export const wireSettings = ['limits.answerBytes', 'limits.idleSeconds', 'limits.totalSeconds'] as const;

/** The limits of calls to models that the settings set; all others stay as the library has them. */
export function wireLimitsOf({ limits }: Pick<Settings, 'limits'>): Partial<WireLimits> {
  const { answerBytes, idleSeconds, totalSeconds } = limits;
  return {
    answerBytes,
    eventBytes: answerBytes,
    ...(idleSeconds !== undefined && { idleMs: idleSeconds * 1000 }),
    ...(totalSeconds !== undefined && { totalMs: totalSeconds * 1000 }),
  };
}
