import { expect, test } from 'vitest';
import type { Access } from '../permission.ts';
import { createPermissions } from './create-permissions.ts';
import { verdict as decided, home, requestOf, root } from './permissions.fixture.ts';
import { parseRule } from './rule.ts';

const verdict = ({ access, ...setting }: { readonly access: Access } & Parameters<typeof decided>[1]) =>
  decided(requestOf('use_tool', access), setting);

const remote = (isReadOnly = false, fingerprint = 'abcdef0123456789'): Access => ({
  kind: 'remote',
  server: 'docs',
  tool: 'mcp__docs__get_page',
  isReadOnly,
  fingerprint,
});

test.each([
  [[], [], 'ask'],
  [['mcp__docs'], [], 'allow'],
  [['mcp__docs__get_page'], [], 'allow'],
  [['MCP__Docs__Get_Page'], [], 'allow'],
  [['mcp__docs__get_*'], [], 'allow'],
  [['mcp__doc'], [], 'ask'],
  [['mcp__docs__get'], [], 'ask'],
  [['bash', 'write', 'use_tool'], [], 'ask'],
  [['mcp__docs__get_page(#abcdef01)'], [], 'allow'],
  [['mcp__docs__get_page(#12345678)'], [], 'ask'],
  [['mcp__docs'], ['mcp__docs__get_*'], 'deny'],
  [['mcp__docs__get_page'], ['mcp__*'], 'deny'],
])('a tool of a server with %j and without %j: %s', (allow, deny, expected) => {
  expect(verdict({ access: remote(), allow, deny })).toBe(expected);
});

test('modes: reading needs a rule and the word of the server', () => {
  for (const mode of ['read-only', 'plan'] as const) {
    expect(verdict({ access: remote(true), mode })).toBe('deny');
    expect(verdict({ access: remote(false), mode, allow: ['mcp__docs'] })).toBe('deny');
    expect(verdict({ access: remote(true), mode, allow: ['mcp__docs'] })).toBe('allow');
  }
  expect(verdict({ access: remote(), mode: 'yes' })).toBe('allow');
  expect(verdict({ access: remote(), mode: 'yes', deny: ['mcp__docs'] })).toBe('deny');
});

test.each([
  ['example.com', ['fetch(example.com)'], 'allow'],
  ['example.com', ['fetch(domain:EXAMPLE.com)'], 'allow'],
  ['a.example.com', ['fetch(example.com)'], 'ask'],
  ['a.example.com', ['fetch(*.example.com)'], 'allow'],
  ['evilexample.com', ['fetch(*.example.com)'], 'ask'],
  ['example.com.evil.net', ['fetch(*.example.com)'], 'ask'],
  ['anything.net', ['fetch'], 'allow'],
  ['example.com', [], 'ask'],
])('a request to %s with %j: %s', (host, allow, expected) => {
  const access: Access = { kind: 'fetch', url: `https://${host}/`, host };
  expect(verdict({ access, allow })).toBe(expected);
  expect(verdict({ access, allow, deny: ['fetch'] })).toBe('deny');
});

test.each(['ba*', '*', 'fetch(a b)', 'fetch(https://a/)', 'mcp__a__b(x)', 'mcp__a__b(#zz)'])(
  '%s is not a rule',
  (text) => {
    expect(() => parseRule({ text, cwd: root, home })).toThrow(/The rule/);
  },
);

test('consent "always" holds for the tool as it was shown: with another description or schema it is asked about again', async () => {
  const asked: string[] = [];
  const permissions = createPermissions({
    mode: 'ask',
    cwd: root,
    home,
    approver: async ({ access }) => {
      asked.push(access.kind === 'remote' ? access.fingerprint : '');
      return 'always';
    },
  });
  for (const fingerprint of ['1'.repeat(16), '1'.repeat(16), '2'.repeat(16)]) {
    const request = requestOf('use_tool', remote(false, fingerprint));
    expect(await permissions.decide(request, new AbortController().signal)).toEqual({ allowed: true });
  }
  expect(asked).toEqual(['1'.repeat(16), '2'.repeat(16)]);
});
