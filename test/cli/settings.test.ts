import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, longhaul } from './longhaul.ts';

/** A home with a user file, a project in it with a project file, and a folder deep inside. */
function world() {
  const root = folder();
  const deep = join(root, 'project', 'src', 'deep');
  const userFile = join(root, 'xdg', 'longhaul', 'config.json');
  const projectFile = join(root, 'project', 'longhaul.config.json');
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(root, 'xdg', 'longhaul'), { recursive: true });
  return { deep, userFile, projectFile, env: { XDG_CONFIG_HOME: join(root, 'xdg') } };
}

test('every level of precedence, from the weakest to the strongest', async () => {
  const { deep, userFile, projectFile, env } = world();
  const color = async ({ more = {}, flags = [] }: { more?: Record<string, string>; flags?: string[] } = {}) => {
    const { stdout } = await longhaul({
      args: ['config', 'show', '--json', ...flags],
      cwd: deep,
      env: { ...env, ...more },
    });
    return JSON.parse(stdout).settings.color;
  };
  expect(await color()).toEqual({ value: 'auto', origin: { kind: 'default' } });
  writeFileSync(userFile, '{ "color": "always" }');
  expect(await color()).toEqual({ value: 'always', origin: { kind: 'user file', path: userFile } });
  writeFileSync(projectFile, '{ "color": "never" }');
  expect(await color()).toEqual({ value: 'never', origin: { kind: 'project file', path: projectFile } });
  const more = { LONGHAUL_COLOR: 'auto' };
  expect(await color({ more })).toEqual({ value: 'auto', origin: { kind: 'environment', name: 'LONGHAUL_COLOR' } });
  expect(await color({ more, flags: ['--color', 'always'] })).toEqual({
    value: 'always',
    origin: { kind: 'flag', name: '--color' },
  });
});

test('config show lists every setting with its value and origin', async () => {
  const { deep, projectFile, env } = world();
  writeFileSync(projectFile, '{ "limits": { "fileBytes": 1000 } }');
  const { code, stdout } = await longhaul({ args: ['config', 'show', '--debug'], cwd: deep, env });
  expect(code).toBe(0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(rows.slice(0, 14)).toEqual([
    ['model', 'auto', 'default'],
    ['window', 'not set', 'default'],
    ['effort', 'auto', 'default'],
    ['provider', 'auto', 'default'],
    ['color', 'auto', 'default'],
    ['terminal.theme', 'auto', 'default'],
    ['terminal.vim', 'false', 'default'],
    ['terminal.bell', 'true', 'default'],
    ['store.dir', 'auto', 'default'],
    ['store.transcripts', 'true', 'default'],
    ['store.checkpoints', 'true', 'default'],
    ['limits.fileBytes', '1000', `project file ${projectFile}`],
    ['limits.lineBytes', '67108864', 'default'],
    ['limits.answerBytes', '67108864', 'default'],
  ]);
  expect(rows).toContainEqual(['compaction.threshold', 'not set', 'default']);
  expect(rows).toContainEqual(['debug', 'true', 'flag --debug']);
});

test('config schema prints JSON Schema, also when the settings are wrong', async () => {
  const { code, stdout } = await longhaul({ args: ['config', 'schema'], env: { LONGHAUL_NONSENSE: '1' } });
  expect(code).toBe(0);
  const schema = JSON.parse(stdout);
  expect(schema.$schema).toContain('json-schema.org');
  const members = [
    '$schema',
    'model',
    'window',
    'effort',
    'provider',
    'color',
    'terminal',
    'store',
    'limits',
    'compaction',
    'providerCompaction',
    'memory',
    'otel',
    'rollback',
    'custom',
    'permissions',
    'sandbox',
    'mcp',
    'fetch',
    'diagnostics',
    'workspace',
    'hooks',
    'debug',
  ];
  expect(Object.keys(schema.properties)).toEqual(members);
  expect(schema.additionalProperties).toBe(false);
  for (const word of ['flag', 'accepts', 'trusted']) expect(stdout).not.toContain(`"${word}"`);
});

describe('errors are reported with their position', () => {
  test.each([
    ['{ "colour": "never" }', 'Unknown setting "colour" in FILE. Did you mean "color"?'],
    [
      '{ "limits": { "fileBytes": "1 GB" } }',
      '"limits.fileBytes" in FILE must be an integer from 1 to 524288000, not "1 GB".',
    ],
    ['{', 'Settings file FILE is not valid JSON: line 1, column 2: the text ends, expected a key in quotes or "}".'],
  ])('%s', async (text, cause) => {
    const { deep, projectFile, env } = world();
    writeFileSync(projectFile, text);
    const { code, stdout, stderr } = await longhaul({ args: ['config', 'show'], cwd: deep, env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toBe(`longhaul: ${cause.replace('FILE', projectFile)}`);
  });

  test('an unknown variable, under --json', async () => {
    const { code, stdout } = await longhaul({ args: ['demo', '--json'], env: { LONGHAUL_PROVDER: 'gemini' } });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'unknown-setting',
      message: 'Unknown setting "LONGHAUL_PROVDER" in the environment. Did you mean "LONGHAUL_PROVIDER"?',
    });
  });
});
