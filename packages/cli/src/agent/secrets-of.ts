import type { Io } from '../io/io.ts';

/** Names under which keys are kept. */
const name = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)(?:_\w+)?$/i;

/** Shorter values stand in other texts by chance, and to mask those would hide nothing and break much. */
const shortest = 8;

/**
 * The values of keys in the environment: they must stand in nothing that is derived from the log, and in no command's
 * environment.
 *
 * @example
 * secretsOf({ OPENAI_API_KEY: 'sk-123456789', HOME: '/home/me' }); // ['sk-123456789']
 */
export function secretsOf(env: Io['env']): string[] {
  const values = Object.entries(env).flatMap(([variable, value = '']) =>
    name.test(variable) && value.trim().length >= shortest ? [value.trim()] : [],
  );
  return [...new Set(values)];
}
