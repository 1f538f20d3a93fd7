import { expect, test } from 'vitest';
import { secretsOf, secretVariables } from './secrets-of.ts';

const env = {
  OPENAI_API_KEY: 'sk-123456789',
  DB_PASSWORD: 'hunter22hunter',
  OTHER: `sk-ant-${'x'.repeat(20)}`,
  HEADERS: 'x-api-key: sk-123456789',
  SHORT_TOKEN: 'abc',
  SSH_AUTH_SOCK: '/run/ssh',
  GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json',
  HOME: '/home/me',
  EMPTY_KEY: '',
};

test('keys are known by the name of their variable or by their format', () => {
  expect(secretsOf(env)).toEqual(['sk-123456789', 'hunter22hunter', env.OTHER]);
});

test('variables with a key are also those that hold it within a longer value, and short ones; paths are none', () => {
  expect(secretVariables(env)).toEqual(['OPENAI_API_KEY', 'DB_PASSWORD', 'OTHER', 'HEADERS', 'SHORT_TOKEN']);
});
