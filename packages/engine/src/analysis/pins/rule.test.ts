import { describe, expect, test } from 'vitest';
import { ruleStrength } from './rule.ts';

describe('sentences that set a rule', () => {
  test.each([
    'Always run the tests before you commit.',
    'never push to main',
    'Please always answer in English.',
    'I want you to always use tabs.',
    'Invalid themes must NEVER explode',
    'You must not touch the lock file.',
    'From now on, use pnpm.',
    "don't ever force-push",
    'Do not ever delete migrations.',
    'Under no circumstances may the cache be cleared.',
    'Direct pushes are forbidden.',
    'Rule: one concept a file.',
    'no commits without tests',
    'Run the linter after every change.',
    'Could you always run the formatter?',
    '**Never** call `foo()` directly',
    'Verwende niemals var.',
    'Ab jetzt bitte nur noch Deutsch.',
    'Die Tests dürfen nicht gelöscht werden.',
    'Ne modifie jamais ce fichier.',
    'Utilise toujours des tabulations.',
    'Nunca uses var.',
    'A partir de ahora responde en inglés.',
    'Sempre rode os testes.',
    '永远不要修改这个文件',
    '从现在开始使用英文回答。',
    '必ずテストを実行してください。',
    '絶対にmainにpushしないでください',
  ])('strong: %s', (sentence) => {
    expect(ruleStrength(sentence)).toBe('strong');
  });

  test.each([
    "don't use --no-git in those tests",
    'Do not add the full names',
    'should be dimmer, don’t modify the theme',
    'The icons must be pngs',
    'Only use rgb values',
    'Make sure the docs are updated.',
    'When you edit a file, make sure to keep its line ends.',
    'Remember that the container has no network.',
    'Prefer fixtures over mocks.',
    'Avoid adding dependencies.',
    'Tool calls should not have an avatar',
    'Bitte benutze keine Klassen.',
    "N'utilise pas de classes.",
    'No uses clases.',
    '不要使用类',
    '外部ライブラリは使用しないでください',
  ])('weak: %s', (sentence) => {
    expect(ruleStrength(sentence)).toBe('weak');
  });
});

test.each([
  'it also always seems to be this same hash, I think?',
  'the build always fails on Windows',
  'I never said that',
  'you never read the file',
  'never mind',
  'and it never works',
  'why do we always get two handlers?',
  'Should we never push to main?',
  "i don't understand, does it capture the theme",
  "why don't we use a set",
  "no don't set it, let's see if it keeps happening",
  "we don't need that",
  'it must be the cache',
  'you must be kidding',
  'mock RepoMap and ensure it is not called',
  'change "You must never do this" to something kinder',
  'the message says `always use X`',
  'error: you must not do this',
  'const x = () => { return never };',
  'if (a) must();',
  'der Test schlägt immer fehl',
  'il ne marche jamais',
  '为什么必须重启？',
  'ls',
])('no rule: %s', (sentence) => {
  expect(ruleStrength(sentence)).toBeUndefined();
});

test('a long text is not a rule', () => {
  expect(ruleStrength(`Always ${'do this and '.repeat(50)}that.`)).toBeUndefined();
});
