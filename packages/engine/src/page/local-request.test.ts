import { expect, test } from 'vitest';
import { isLocalRequest, loopbackAuthorities } from './local-request.ts';

test.each([
  [{ host: '127.0.0.1:8080' }, true],
  [{ host: 'LOCALHOST:8080' }, true],
  [{ host: '[::1]:8080', origin: 'http://localhost:8080' }, true],
  [{ host: '127.0.0.1' }, false],
  [{ host: '127.0.0.1:8081' }, false],
  [{ host: 'evil.example:8080' }, false],
  [{ host: '127.0.0.1:8080.evil.example' }, false],
  [{ host: '127.0.0.1:8080@evil.example' }, false],
  [{ host: '127.0.0.1:8080', origin: 'http://evil.example:8080' }, false],
  [{ host: '127.0.0.1:8080', origin: 'null' }, false],
  [{ host: '127.0.0.1:8080', origin: 'file://127.0.0.1:8080' }, false],
  [{ host: '127.0.0.1:8080', origin: 'http://127.0.0.1:8080@evil.example' }, false],
  [{ host: '' }, false],
  [{}, false],
])('%j is answered: %s', (headers, expected) => {
  expect(isLocalRequest({ headers, authorities: loopbackAuthorities(8080) })).toBe(expected);
});

test('the default port may be omitted', () => {
  expect(isLocalRequest({ headers: { host: 'localhost' }, authorities: loopbackAuthorities(80) })).toBe(true);
});
