import type { ProcessEnvironment } from './io.ts';

/** Variables that programs need and that hold no keys. */
const common =
  /^(?:PATH|PATHEXT|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|(?:https?|no|all)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|XDG_\w+|SYSTEMROOT|COMSPEC|APPDATA|LOCALAPPDATA|USERPROFILE|CARGO_HOME|RUSTUP_HOME|VIRTUAL_ENV)$/i;

/**
 * The environment of a program that the agent starts by itself: what programs need, and no keys.
 *
 * @example
 * childEnvironment({ PATH: '/bin', GITHUB_TOKEN: 'x' }); // { PATH: '/bin' }
 */
export function childEnvironment(env: ProcessEnvironment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && common.test(name) ? [[name, value]] : [])),
  );
}
