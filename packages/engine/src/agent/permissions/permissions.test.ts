import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import type { Approver } from '../permission.ts';
import { folderWith } from '../tools/tools.fixture.ts';
import { createPermissions, type PermissionsInput } from './create-permissions.ts';
import type { PermissionMode } from './decide.ts';
import { command, file, home, requestOf, root, verdict } from './permissions.fixture.ts';

describe('decisions without rules', () => {
  const calls = {
    nothing: requestOf('todo', { kind: 'none' }),
    'a look inside': file('read', `${root}/src/a.ts`),
    'a look outside': file('read', '/etc/passwd'),
    'a look at secrets': file('read', `${root}/.env`),
    'a change inside': file('write', `${root}/src/a.ts`),
    'a change outside': file('write', '/etc/hosts'),
    'a change of hooks': file('write', `${root}/.git/hooks/pre-commit`),
    'a change of settings': file('write', `${root}/longhaul.config.json`),
    'a command': command('npm test'),
    'a destructive command': command('rm -rf /'),
  };
  const table: Record<PermissionMode, readonly string[]> = {
    ask: ['nothing', 'a look inside'],
    'auto-edit': ['nothing', 'a look inside', 'a change inside'],
    yes: ['nothing', 'a look inside', 'a change inside', 'a command'],
    'read-only': ['nothing', 'a look inside'],
    plan: ['nothing', 'a look inside'],
  };
  test.each(Object.entries(table))('%s allows %j and no more', (mode, allowed) => {
    const found = Object.entries(calls).filter(
      ([, call]) => verdict(call, { mode: mode as PermissionMode }) === 'allow',
    );
    expect(found.map(([name]) => name)).toEqual(allowed);
  });

  test('read-only denies changes, and a rule does not lift it', () => {
    expect(verdict(calls['a change inside'], { mode: 'read-only', allow: ['write(**)'] })).toBe('deny');
    expect(verdict(calls['a command'], { mode: 'read-only', allow: ['bash(npm test)'] })).toBe('deny');
  });

  test.each([
    '.env',
    '.ENV',
    'a/.env.local',
    '.envrc',
    '.ssh/config',
    'id_ed25519',
    'certs/server.PEM',
    'x.key',
    '.npmrc',
    '.netrc',
    'config/credentials.json',
    'secrets.yaml',
    '.aws/credentials',
    'my-service-account-1.json',
  ])('%s needs approval', (name) => {
    expect(verdict(file('read', `${root}/${name}`), { mode: 'yes' })).toBe('ask');
    expect(verdict(file('write', `${root}/${name}`), { mode: 'yes' })).toBe('ask');
  });

  test.each(['.env.example', 'src/env.ts', 'id_ed25519.pub', 'src/secrets/mask.ts', 'keys.ts', '.gitignore'])(
    '%s is not',
    (name) => expect(verdict(file('read', `${root}/${name}`))).toBe('allow'),
  );
});

/** Lines that may or may not run `rm`: never allowed while a rule denies it. */
const unclearLines = [
  'ls; r\\m a',
  `bash -c 'rm a'`,
  'echo $(rm a)',
  'find . -exec rm {} +',
  'ls | xargs -n1 rm',
  'X=1 rm a',
  '`rm a`',
  `eval "rm a"`,
  'if true; then rm a; fi',
  'bash <<EOF\nrm a\nEOF',
  'cat <(rm a)',
  '(rm a)',
  '{ rm a; }',
  '! rm a',
  'ls &rm a',
];

describe('rules', () => {
  test('are case-insensitive in tool names', () => {
    expect(verdict(command('npm test'), { mode: 'yes', deny: ['Bash'] })).toBe('deny');
    expect(verdict(file('write', `${root}/src/a.ts`), { mode: 'yes', deny: ['Write(src/**)'] })).toBe('deny');
    expect(verdict(requestOf('mcp_Tickets', { kind: 'none' }), { deny: ['MCP_tickets'] })).toBe('deny');
  });

  test.each([
    ['bash(npm test:*)', 'npm test -- --run a', 'allow'],
    ['bash(npm test:*)', 'npm test', 'allow'],
    ['bash(npm test:*)', 'npm testing', 'ask'],
    ['bash(npm test)', 'npm test --x', 'ask'],
    ['bash(npm test:*)', 'cd packages/a && npm test 2>/dev/null', 'allow'],
    ['bash(npm test:*)', 'cd /tmp && npm test', 'ask'],
    ['bash(git log:*)', '"git" log --oneline | git log -1', 'allow'],
    ['bash(git push:*)', 'git push --force', 'allow'],
    ['bash', 'npm run anything', 'allow'],
    ['bash', 'git push --force', 'ask'],
  ])('%s and %j: %s', (rule, line, expected) => expect(verdict(command(line), { allow: [rule] })).toBe(expected));

  test.each([
    ['write(src/**)', file('write', `${root}/src/a/b.ts`), 'allow'],
    ['write(src/**)', file('write', `${root}/src/a/b.ts`, 'edit'), 'allow'],
    ['edit(src/*.ts)', file('write', `${root}/src/a.ts`, 'write'), 'ask'],
    ['write(src/*.ts)', file('write', `${root}/src/a/b.ts`), 'ask'],
    ['write(src/**)', file('write', `${root}/srcs/b.ts`), 'ask'],
    ['write', file('write', `${root}/a.ts`), 'allow'],
    ['write', file('write', '/etc/hosts'), 'ask'],
    ['read(~/notes/**)', file('read', `${home}/notes/a/b.md`, 'grep'), 'allow'],
    ['read(~/notes/**)', file('read', `${home}/notes-private/b.md`), 'ask'],
    ['read(/etc/{hosts,passwd})', file('read', '/etc/passwd'), 'allow'],
    ['read', file('read', '/etc/passwd'), 'ask'],
    ['read(.env)', file('read', `${root}/.env`), 'allow'],
  ] as const)('%s on %j: %s', (rule, call, expected) => expect(verdict(call, { allow: [rule] })).toBe(expected));

  test('deny rules take precedence over allow rules, under any name of the program', () => {
    const setting = {
      mode: 'yes',
      allow: ['bash(rm:*)', 'write(**)'],
      deny: ['bash(rm:*)', 'write(dist/**)'],
    } as const;
    for (const line of [
      'rm a',
      '/bin/rm a',
      './rm a',
      '"rm" a',
      `'r'm a`,
      'sudo rm a',
      'ls; rm a',
      'ls | rm a',
      'ls && rm a',
      'false || rm a',
      'time nice -n 5 nohup rm a',
      'command rm a',
      'busybox rm a',
      'env CI=1 rm a',
      'timeout -s KILL 5 rm a',
    ])
      expect([line, verdict(command(line), setting)]).toEqual([line, 'deny']);
    for (const line of unclearLines) expect([line, verdict(command(line), setting)]).toEqual([line, 'ask']);
    expect(verdict(file('write', `${root}/dist/a.js`), setting)).toBe('deny');
    expect(verdict(requestOf('todo', { kind: 'none' }), { deny: ['todo'] })).toBe('deny');
  });

  test.each([
    ['', 'neither TOOL nor'],
    ['bash(', 'neither TOOL nor'],
    ['*', 'neither TOOL nor'],
    ['bash()', 'empty parentheses'],
    ['bash(a && b)', 'more than one command'],
    ['bash(a > b)', 'more than one command'],
    ['bash(npm *)', 'a variable or a wildcard'],
    ['bash($X)', 'a variable or a wildcard'],
    ['bash(:*)', 'names no command'],
    ['todo(x)', 'todo takes none'],
  ])('%j is rejected: %s', (text, why) => {
    expect(() => createPermissions({ cwd: '/', allow: [text] })).toThrow(why);
  });

  test('an unknown mode is rejected', () => {
    expect(() => createPermissions({ cwd: '/', mode: 'YOLO' as never })).toThrow(/Unknown permission mode "YOLO"/);
  });

  test('a pattern with a link applies to the target of the link', async () => {
    const all = folderWith({ 'real/a.md': '' });
    mkdirSync(join(all, 'app'));
    symlinkSync(join(all, 'real'), join(all, 'notes'));
    const permissions = createPermissions({ cwd: join(all, 'app'), home: all, allow: ['read(~/notes/**)'] });
    const request = requestOf('read', { kind: 'read', paths: [join(all, 'real/a.md')], isOutside: true });
    expect(await permissions.decide(request, new AbortController().signal)).toEqual({ allowed: true });
  });
});

const hidden = 'rm -rf ~';
const disguises = [
  `npm test; ${hidden}`,
  `npm test && ${hidden}`,
  `npm test || ${hidden}`,
  `npm test | ${hidden}`,
  `npm test |& ${hidden}`,
  `npm test & ${hidden}`,
  `npm test\n${hidden}`,
  `npm test $(${hidden})`,
  `npm test "$(${hidden})"`,
  `npm test \`${hidden}\``,
  `npm test "\`${hidden}\`"`,
  `npm test $\${; ${hidden} }`,
  `npm test $$(${hidden})`,
  `npm test \${ ${hidden}; }`,
  `npm test \${| ${hidden}; }`,
  `npm test <(${hidden})`,
  `npm test >(${hidden})`,
  `npm test \${x:-$(${hidden})}`,
  `npm test "\${x:-\`${hidden}\`}"`,
  `npm test "$(echo "'"; ${hidden}; echo "'")"`,
  `npm test $'\\''; ${hidden} #'`,
  `npm test <<EOF\n$(${hidden})\nEOF`,
  `npm test <<EOF\n' $(${hidden}) '\nEOF`,
  `npm test <<'EOF'\n  EOF\n'\nEOF\n${hidden} #'`,
  `npm test # '\n${hidden} # '`,
  `npm test \\\n; ${hidden}`,
  `npm test > ~/.bashrc`,
  `npm test >& ~/.bashrc`,
  `npm test &> ~/.bashrc`,
  `npm test >&2file`,
  `npm test 2>> ../x`,
  `npm test <> ../x`,
  `PATH=/tmp/evil npm test`,
  `LD_PRELOAD=./x.so npm test`,
  `npm() { ${hidden}; }; npm test`,
  `alias npm='${hidden}'; npm test`,
  `sudo npm test`,
  `./npm test`,
  `{npm,test}`,
  `$X test`,
  `npm test\r${hidden}`,
  `case a in a) ${hidden};; esac; npm test`,
  `npm test (${hidden})`,
];

describe('an allowed command does not allow other commands in the same line', () => {
  test.each(disguises)('%j', (line) => expect(verdict(command(line), { allow: ['bash(npm test:*)'] })).toBe('ask'));

  test('whatever is joined, a real shell starts nothing but the allowed program', () => {
    const folder = folderWith({ 'bin/npm': '#!/bin/sh\nexit 0\n', 'bin/evil': '#!/bin/sh\ntouch "$MARK"\n' });
    for (const name of ['npm', 'evil']) chmodSync(join(folder, 'bin', name), 0o755);
    const mark = join(folder, 'mark');
    const env = { PATH: join(folder, 'bin'), MARK: mark };
    const glue = [
      ...[
        ';',
        '&&',
        '|',
        '\n',
        '$(',
        ')',
        '`',
        '"',
        "'",
        '<(',
        '\\',
        '#',
        '${',
        '}',
        ' ',
        '<<E\n',
        '\nE\n',
        '>&',
        '&',
        '$',
      ],
      ...[
        '{ ',
        '(',
        '((',
        '))',
        '[[',
        ']]',
        'case x in x)',
        ';;',
        'esac',
        '<<-E\n',
        '\n\tE\n',
        '<<<',
        '!',
        '=',
        '~',
        "$'",
        '$"',
        '\t',
        '-',
      ],
    ];
    const piece = fc.oneof(fc.constantFrom(...glue), fc.constantFrom('npm test', 'evil', ' evil ', 'x', ' $Y'));
    const cases = runs(1500);
    let ran = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const line = `npm test ${pieces.join('')}`;
        if (!line.includes('evil') || verdict(command(line), { allow: ['bash(npm test:*)'] }) !== 'allow') return;
        ran += 1;
        rmSync(mark, { force: true });
        spawnSync('/bin/bash', ['-c', line], {
          cwd: folder,
          env: { ...env, PATH: `${env.PATH}:/usr/bin:/bin` },
          stdio: 'ignore',
          timeout: 5000,
        });
        expect([line, existsSync(mark)]).toEqual([line, false]);
      }),
      cases,
    );
    expect(ran).toBeGreaterThanOrEqual(Math.floor(cases.numRuns / 100));
  });
});

describe('approval', () => {
  const signal = new AbortController().signal;
  const permissionsWith = (input: Omit<PermissionsInput, 'cwd'>) => createPermissions({ cwd: '/', ...input });
  const outside = requestOf('read', { kind: 'read', paths: ['/x/a'], isOutside: true });

  test('without an approver, a call is denied with a sentence for the model', async () => {
    expect(await permissionsWith({}).decide(outside, signal)).toEqual({
      allowed: false,
      why: 'it is outside the workspace, and no approver is available. Do not work around it; continue without it, or ask the user.',
    });
  });

  test('always applies to identical calls only', async () => {
    const asked: string[] = [];
    const approver: Approver = async ({ access }) => {
      asked.push(JSON.stringify(access));
      return 'always';
    };
    const permissions = permissionsWith({ approver });
    const again = (line: string, cwd = '/') => permissions.decide(command(line, cwd), signal);
    await Promise.all([again('npm test'), again('npm test'), again('npm test')]);
    expect(asked).toHaveLength(1);
    await again('npm test; ls');
    await again('npm test', '/sub');
    await permissions.decide(outside, signal);
    await permissions.decide({ ...outside, access: { kind: 'write', paths: ['/x/a'], isOutside: true } }, signal);
    await permissions.decide({ ...outside, access: { kind: 'read', paths: ['/x/b'], isOutside: true } }, signal);
    expect(asked).toHaveLength(6);
  });

  test('a denial, a failing approver and an ended run deny', async () => {
    const no = permissionsWith({ approver: async () => ({ deny: 'not today\u001b[2J' }) });
    expect(await no.decide(outside, signal)).toMatchObject({
      why: expect.stringMatching(/^the user denied it: not today\./),
    });
    const broken = permissionsWith({ approver: async () => Promise.reject(new Error('no terminal')) });
    expect(await broken.decide(outside, signal)).toMatchObject({
      allowed: false,
      why: expect.stringContaining('no terminal'),
    });
    const over = permissionsWith({ approver: async () => 'allow' });
    expect(await over.decide(outside, AbortSignal.abort())).toMatchObject({ allowed: false });
    expect(await broken.decide(requestOf('x', { kind: 'none' }), signal)).toEqual({ allowed: true });
  });

  test('a hook can require approval, and denied calls stay denied', async () => {
    const asked: string[] = [];
    const approver: Approver = async ({ summary }) => {
      asked.push(summary);
      return 'allow';
    };
    const permissions = permissionsWith({ approver, deny: ['ls'] });
    const request = { ...requestOf('todo', { kind: 'none' }), mustAsk: 'it is late' };
    expect(await permissions.decide(request, signal)).toEqual({ allowed: true });
    expect(asked).toEqual(['todo (a hook requires approval: it is late)']);
    expect(await permissions.decide({ ...request, tool: 'ls' }, signal)).toMatchObject({ allowed: false });
    expect(await permissionsWith({}).decide(request, signal)).toMatchObject({ allowed: false });
  });

  test('one question at a time, without escape sequences', async () => {
    let [open, most] = [0, 0];
    const seen: string[] = [];
    const approver: Approver = async ({ summary }) => {
      seen.push(summary);
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 'allow';
    };
    const permissions = permissionsWith({ approver });
    const calls = Array.from({ length: 5 }, (_, at) => ({
      ...command(`x ${at}`, '/'),
      summary: `run x\u001b]0;t\u0007 ${at}`,
    }));
    await Promise.all(calls.map((call) => permissions.decide(call, signal)));
    expect([most, seen[0]]).toEqual([1, 'run x 0 (it runs a command)']);
  });
});
