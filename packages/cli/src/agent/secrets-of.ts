import type { Io } from '../io/io.ts';

/** Names of variables that hold keys. */
const secretName = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_\w+)?$/i;

/** Model keys in variables with other names. */
const modelKey = /^(?:sk-(?:ant|proj|or|svcacct|admin|None)-|AIza|xai-|gsk_|csk-|nvapi-|pplx-|r8_)[\w-]{16,}$/;

/** Shorter values occur in other text by chance; masking those would break text and protect nothing. */
const shortest = 8;

/**
 * The values of keys in the environment. They must not appear in anything derived from the log, nor in the environment of
 * commands.
 *
 * @example
 * secretsOf({ OPENAI_API_KEY: 'sk-123456789', HOME: '/home/me' }); // ['sk-123456789']
 */
export function secretsOf(env: Io['env']): string[] {
  const values = Object.entries(env).flatMap(([variable, value = '']) =>
    isKey({ variable, value }) && value.trim().length >= shortest ? [value.trim()] : [],
  );
  return [...new Set(values)];
}

/**
 * The variables that hold a key, alone or inside a longer value. A process that runs commands must remove them from its
 * environment, where every command can read them.
 *
 * @example
 * secretVariables({ OPENAI_API_KEY: 'sk-123456789', HOME: '/home/me' }); // ['OPENAI_API_KEY']
 */
export function secretVariables(env: Io['env']): string[] {
  const secrets = secretsOf(env);
  return Object.entries(env).flatMap(([variable, value = '']) =>
    isKey({ variable, value }) || secrets.some((secret) => value.includes(secret)) ? [variable] : [],
  );
}

function isKey({ variable, value }: { readonly variable: string; readonly value: string }): boolean {
  // A path, as in SSH_AUTH_SOCK or GOOGLE_APPLICATION_CREDENTIALS, is not a key itself.
  if (value.trim() === '' || /^[.~]?\//.test(value)) return false;
  return secretName.test(variable) || modelKey.test(value);
}
