import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { createMask } from './mask.ts';

const mask = createMask();
/** Written in two halves, so that no scanner of this repository takes them for real. */
const join = (...halves: readonly string[]) => halves.join('');
const random = 'Zx8Qw2Lm5Tn7Vb3Rk9Yp';

describe('what is masked', () => {
  test.each([
    ['Anthropic', join('sk-', `ant-api03-${random}`)],
    ['OpenAI', join('sk-', `proj-${random}`)],
    ['OpenAI, older', join('sk-', `${random}${random}`)],
    ['GitHub', join('ghp_', `${random}${random.slice(0, 16)}`)],
    ['AWS', join('AKIA', 'IOSFODNN7EXAMPLE')],
    ['Slack', join('xoxb-', '2345678901-abcdefghij')],
    ['Google', join('AIza', `Sy${random}${random.slice(0, 13)}`)],
    ['JSON web token', join('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def')],
  ])('a key of %s', (_whose, key) => {
    expect(mask(`use ${key}, please`)).toMatch(/^use \[secret:[0-9a-f]{6}\], please$/);
  });

  test.each([
    ['DB_PASSWORD=hunter22', 'DB_PASSWORD='],
    ['export OPENAI_API_KEY="abcd1234"', 'export OPENAI_API_KEY="'],
    ['A=1\nGITHUB_TOKEN=whatever-it-is', 'A=1\nGITHUB_TOKEN='],
    ['DB_PASSWORD=hunter22 make', 'DB_PASSWORD='],
    ['API_TOKEN=a9f8e7d6c5b4', 'API_TOKEN='],
    ["const apiKey = 'opensesame';", "const apiKey = '"],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic '],
    [`{"password": "hunter22x"}`, '{"password": "'],
    [`Authorization: Bearer ${random}`, 'Authorization: Bearer '],
    [`curl -H 'x-api-key: ${random}'`, "curl -H 'x-api-key: "],
    ['postgres://app:s3cr3t@db:5432/x', 'postgres://app:'],
    [`https://x.org/?token=${random}`, 'https://x.org/?token='],
  ])('a value whose name says so: %s', (text, kept) => {
    expect(mask(text)).toMatch(/\[secret:[0-9a-f]{6}\]/);
    expect(mask(text).startsWith(`${kept}[secret:`)).toBe(true);
  });

  it('a private key, complete or truncated', () => {
    const begin = join('-----BEGIN RSA ', 'PRIVATE KEY-----');
    const end = join('-----END RSA ', 'PRIVATE KEY-----');
    expect(mask(`${begin}\nMIIEow\nabc\n${end}\nrest`)).toMatch(/KEY-----\[secret:[0-9a-f]{6}\]\nrest$/);
    expect(mask(`${begin}\nMIIEow\nabc`)).not.toContain('MIIEow');
  });
});

test.each([
  'e53647ba1f1e5203bedff558b482f178db045555',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  '019d6811-6551-7aa0-bafd-b5cf9ae697d3',
  'const STORAGE_KEY = "user-settings-v2";',
  'const apiKey = process.env.API_KEY;',
  'const apiKey = await getApiKeyForModel(model);',
  'result.apiKey = args[i + 1];',
  'constructor(private readonly password: string) {}',
  'curl -H "x-api-key: $ANTHROPIC_API_KEY"',
  'auth(secret="$SECRET")',
  '{ password: "Password", apiKey: "your-api-key" }',
  'password: string;',
  'API_KEY=your-api-key-here',
  'TOKEN=<token>',
  'Authorization: Bearer YOUR_TOKEN',
  'PASSWORD=$PASSWORD',
  'max_tokens: 4096, TOKEN_LIMIT=200000',
  'key-value-store-implementation, pk-constraint-name-2, sk-learn-based-model',
  'the bearer authentication-scheme of OAuth',
  'git clone ssh://git@github.com/a/b and https://me@host/x',
  'https://example.org/?key=short&page=2',
  'import { tokenizer } from "./tokenizer.ts"; // token: the smallest unit',
  '{"token": "identifier", "secret": "none"}',
  'req_011CUB2XUHWkFnQzxcKBbjpF toolu_01AbCdEfGhIjKlMnOpQrStUv call_abc123',
])('hashes, names and code stay: %s', (text) => {
  expect(mask(text)).toBe(text);
});

it('gives a secret the same placeholder everywhere, and another one in another session', () => {
  const [first] = mask('DB_PASSWORD=hunter22').match(/\[secret:.*\]/) ?? [];
  expect(mask('{"password":"hunter22"}')).toContain(first);
  expect(createMask()('DB_PASSWORD=hunter22')).toContain(first);
  expect(createMask({ salt: 'other' })('DB_PASSWORD=hunter22')).not.toContain(first);
});

it('masks configured values everywhere, and additional patterns', () => {
  const own = createMask({ values: ['correct horse', 'correct horse battery', 'abc'], patterns: [/EMP-\d+/] });
  expect(own('the correct horse battery of EMP-12345, abc')).toMatch(
    /^the \[secret:[0-9a-f]{6}\] of \[secret:[0-9a-f]{6}\], abc$/,
  );
});

it('is idempotent for any text', () => {
  const pieces = fc.constantFrom(
    ...[
      'sk-',
      'ant-',
      'api_key',
      '=',
      ': ',
      '"',
      random,
      'PASSWORD',
      '://',
      '@',
      ':',
      'Bearer ',
      'eyJ',
      '.',
      '\n',
      '[',
      ']',
    ],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
      const once = mask(parts.join(''));
      expect(mask(once)).toBe(once);
    }),
    runs(500),
  );
});

test.each(['eyJ-', 'sk-', 'api-', 'A=', '://', 'key="', '-----BEGIN PRIVATE KEY-----'])(
  'comes to an end on a text that is forged to be slow: %s',
  (piece) => {
    expect(mask(piece.repeat(20_000)).length).toBeGreaterThan(0);
  },
);
