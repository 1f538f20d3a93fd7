import type { Io } from '../io/io.ts';

/** Names under which keys are kept. */
const secretName = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_\w+)?$/i;

/** Keys of models under any other name. */
const modelKey = /^(?:sk-(?:ant|proj|or|svcacct|admin|None)-|AIza|xai-|gsk_|csk-|nvapi-|pplx-|r8_)[\w-]{16,}$/;

/** Shorter values occur in other texts by chance, and to mask those would hide nothing and break much. */
const shortest = 8;

/**
 * The values of keys in the environment: they may be in nothing that is derived from the log, and in no command's
 * environment.
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
 * The names of variables that hold a key, alone or within a longer value: a process that runs commands must not keep them in
 * its environment, where every command can read them.
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
  // A path, as in SSH_AUTH_SOCK or GOOGLE_APPLICATION_CREDENTIALS, is no key; what it leads to is a file with secrets.
  if (value.trim() === '' || /^[.~]?\//.test(value)) return false;
  return secretName.test(variable) || modelKey.test(value);
}
