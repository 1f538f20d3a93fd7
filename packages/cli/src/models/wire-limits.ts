import type { WireLimits } from 'longhaul/models';
import type { Settings } from '../settings/schema.ts';

/** The settings that limit model requests. */
export const wireSettings = ['limits.answerBytes', 'limits.idleSeconds', 'limits.totalSeconds'] as const;

/** The configured limits of model requests; others keep the defaults of the library. */
export function wireLimitsOf({ limits }: Pick<Settings, 'limits'>): Partial<WireLimits> {
  const { answerBytes, idleSeconds, totalSeconds } = limits;
  return {
    answerBytes,
    eventBytes: answerBytes,
    ...(idleSeconds !== undefined && { idleMs: idleSeconds * 1000 }),
    ...(totalSeconds !== undefined && { totalMs: totalSeconds * 1000 }),
  };
}
