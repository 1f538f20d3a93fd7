/** How specific a name is: `password` is conclusive, `token` and `key` have other uses as well. */
export type NameStrength = 'strong' | 'weak';

const strong = new Set([
  ...[
    'password',
    'passwd',
    'passwort',
    'passphrase',
    'passcode',
    'pword',
    'secret',
    'apikey',
    'secretkey',
    'authtoken',
  ],
  ...['accesstoken', 'privatekey', 'accesskey', 'clientsecret', 'authkey', 'apitoken', 'apisecret', 'appsecret', 'psk'],
  ...[
    'requirepass',
    'masterauth',
    'storepass',
    'keypass',
    'pass',
    'pw',
    'mysqlpwd',
    'pgpassword',
    'sshpass',
    'dbpassword',
    'rootpw',
  ],
]);

/** `api key`, `refresh token`: pairs that are as specific as `password`. */
const strongPairs: Readonly<Record<string, ReadonlySet<string>>> = {
  key: new Set([
    ...[
      'api',
      'secret',
      'access',
      'private',
      'account',
      'signing',
      'encryption',
      'master',
      'auth',
      'service',
      'shared',
    ],
    ...['hmac', 'crypt', 'cipher', 'subscription', 'license', 'app', 'application', 'admin', 'deploy', 'integration'],
    ...['decryption', 'preshared', 'ssh', 'write', 'ingest', 'instrumentation', 'functions', 'host', 'function'],
  ]),
  token: new Set([
    ...[
      'auth',
      'access',
      'refresh',
      'bearer',
      'session',
      'id',
      'bot',
      'api',
      'personal',
      'deploy',
      'security',
      'vault',
    ],
    ...[
      'private',
      'service',
      'user',
      'app',
      'oauth',
      'admin',
      'webhook',
      'push',
      'root',
      'gh',
      'github',
      'gitlab',
      'npm',
    ],
    ...['jwt', 'csrf', 'registry', 'runner', 'slack', 'discord', 'hf', 'oauth2', 'sentry', 'upload', 'consul', 'agent'],
  ]),
  pwd: new Set(['db', 'smtp', 'mail', 'user', 'admin', 'root', 'mysql', 'pg', 'sa', 'my', 'database', 'login']),
  base: new Set(['secretkey']),
  string: new Set(['connection']),
};

const weak = new Set([
  'token',
  'key',
  'pwd',
  'auth',
  'creds',
  'credential',
  'credentials',
  'jwt',
  'bearer',
  'pat',
  'sig',
  'signature',
  'salt',
  'cookie',
  'dsn',
  'pin',
  'otp',
  'hmac',
  'seed',
  'mnemonic',
  'sessionid',
  'sid',
  'sessid',
  'phpsessid',
  'jsessionid',
]);

/** Suffixes that do not change the meaning: `DB_PASSWORD_PROD`, `SECRET_KEY_BASE`, `apiKeyValue`. */
const suffixes = new Set([
  ...['base', 'value', 'val', 'text', 'str', 'raw', 'plain', 'plaintext', 'prod', 'production', 'dev', 'development'],
  ...[
    'staging',
    'stage',
    'test',
    'testing',
    'live',
    'sandbox',
    'old',
    'new',
    'primary',
    'secondary',
    'current',
    'default',
    'main',
  ],
  ...['b64', 'base64', 'encoded', 'local', 'root', 'admin', 'user', 'ci', 'eu', 'us', 'rw', 'ro'],
]);

/** Lowercase names without separators: `dbpassword`, `bindpw`. */
const joined = /(?:password|passwd|passphrase|secretkey|apikey|privatekey|bindpw)$/;

/** Keys that are not secret: for lookup, keyboard or comparison. */
const plainKeys = new Set([
  ...[
    'storage',
    'cache',
    'primary',
    'foreign',
    'public',
    'sort',
    'partition',
    'idempotency',
    'dedupe',
    'object',
    'row',
  ],
  ...[
    'query',
    'search',
    'lookup',
    'group',
    'hot',
    'arrow',
    'map',
    'dict',
    'node',
    'react',
    'tree',
    'path',
    'file',
    'index',
  ],
  ...[
    'translation',
    'locale',
    'message',
    'header',
    'registry',
    'unique',
    'composite',
    'event',
    'item',
    'list',
    'session',
  ],
  ...[
    'state',
    'config',
    'setting',
    'settings',
    'data',
    'column',
    'field',
    'prop',
    'property',
    'metadata',
    'context',
    'host',
  ],
]);

/**
 * How strongly a name marks its value as secret.
 *
 * @example
 * nameStrength('DB_PASSWORD'); // 'strong'
 * nameStrength('max_tokens'); // undefined
 */
export function nameStrength(name: string): NameStrength | undefined {
  const words = wordsOf(name);
  while (words.length > 1 && (suffixes.has(words.at(-1) ?? '') || /^\d{1,4}$/.test(words.at(-1) ?? ''))) words.pop();
  const [last = '', before = '', third = ''] = words.toReversed();
  if (strong.has(last) || strong.has(before + last) || joined.test(last)) return 'strong';
  if (strongPairs[last]?.has(before) || strongPairs[last]?.has(third + before)) return 'strong';
  if (!weak.has(last)) return /[a-z]token$/.test(last) ? 'weak' : undefined;
  if (last === 'key') return before === '' || plainKeys.has(before) ? undefined : 'weak';
  // The working directory of a shell.
  return last === 'pwd' && (before === '' || before === 'old') ? undefined : 'weak';
}

/** The words of an identifier in any naming convention, in lower case. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
}
