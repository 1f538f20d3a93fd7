import { type Setting, settingsOf } from './catalog.ts';
import { settingsSchema } from './schema.ts';

/**
 * All settings of Longhaul. The build replaces this module by the list (tsdown.config.ts), because making it from the schema
 * takes longer than most commands need for their work.
 */
export const knownSettings: readonly Setting[] = settingsOf({ schema: settingsSchema });
