import { createPermissions, type Permissions, type Tool } from 'longhaul/agent';
import { expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { questionFor } from './consent.ts';
import { diagnosticsFor } from './diagnostics.ts';

const edit: Tool = {
  definition: { name: 'edit', inputSchema: {} },
  access: () => ({ kind: 'none' }),
  run: async () => ({ content: [{ type: 'text', origin: 'tool', text: 'Edited.' }] }),
};

/** A project with TypeScript and ESLint, whose checkers say what is given for each run. */
function project(of: {
  readonly outputs: Record<string, string[]>;
  readonly mode?: 'ask' | 'on';
  readonly allowed?: boolean;
  readonly isLate?: boolean;
  readonly permissions?: Permissions;
}) {
  const files = ['tsconfig.json', 'eslint.config.js', 'node_modules/.bin/tsc', 'node_modules/.bin/eslint', 'src/a.ts'];
  const io = memoryIo({
    files: Object.fromEntries(files.map((name) => [`/project/${name}`, 'x'])),
    env: { PATH: '/bin', OPENAI_API_KEY: 'sk' },
  });
  const asked: string[] = [];
  const notices: string[] = [];
  const ran: { readonly command: string; readonly env: object }[] = [];
  const permissions: Permissions = {
    decide: async ({ access, isOptional }) => {
      asked.push(access.kind === 'execute' ? `${access.command}${isOptional ? '' : '!'}` : '');
      return of.allowed === false ? { allowed: false, why: 'no' } : { allowed: true };
    },
  };
  const wrap = diagnosticsFor({
    io: {
      ...io,
      runCommand: async ({ command, env }) => {
        ran.push({ command, env });
        const name = /bin\/(\w+)/.exec(command)?.[1] ?? '';
        const stdout = of.outputs[name]?.shift() ?? '';
        return { code: 0, stdout, stderr: '', isLate: of.isLate === true, isCut: false, ms: 1 };
      },
    },
    cwd: '/project',
    values: { diagnostics: { mode: of.mode ?? 'ask', seconds: 5 } },
    permissions: of.permissions ?? permissions,
    onNotice: (text) => void notices.push(text),
  });
  const run = async (file_path = 'src/a.ts') => {
    const { content } = await wrap(edit).run({
      input: { file_path },
      callId: 'c',
      signal: new AbortController().signal,
    });
    return content.slice(1);
  };
  return { run, asked, notices, ran };
}

const tsError = (line: number, text: string, file = 'src/a.ts') => `${file}(${line},1): error TS2322: ${text}`;
const lint = (...messages: string[]) =>
  JSON.stringify([
    {
      filePath: '/project/src/a.ts',
      messages: messages.map((message) => ({ line: 3, message, severity: 2, ruleId: 'no-x' })),
    },
  ]);

test('only new errors are added, the changed file first, whatever their lines are now', async () => {
  const tsc = [
    tsError(1, 'Old.'),
    [tsError(9, 'Old.'), tsError(2, 'Other.', 'src/b.ts'), tsError(4, 'New.')].join('\n'),
  ];
  const { run, ran, asked } = project({ outputs: { tsc, eslint: [lint(), lint('Bad.')] } });
  expect(await run()).toEqual([
    {
      type: 'text',
      origin: 'tool',
      text: 'New errors after this change:\n- src/a.ts:4 TS2322: New.\n- src/a.ts:3 Bad. (no-x)\n- src/b.ts:2 TS2322: Other.',
    },
  ]);
  expect(asked).toEqual(['node_modules/.bin/tsc --noEmit --pretty false', 'node_modules/.bin/eslint --format json']);
  expect(ran.at(-1)?.command).toContain("-- '/project/src/a.ts'");
  expect(JSON.stringify(ran)).not.toContain('OPENAI');
});

test('asked once; after a no nothing runs', async () => {
  const { run, ran, asked } = project({ outputs: {}, allowed: false });
  await run();
  expect(await run()).toEqual([]);
  expect([ran, asked.length]).toEqual([[], 2]);
});

test('the question says that the command runs after edits', async () => {
  const questions: string[] = [];
  const permissions = createPermissions({
    mode: 'auto-edit',
    cwd: '/project',
    approver: async (request) => {
      questions.push(questionFor({ request, isSavable: true }));
      return { deny: 'no' };
    },
  });
  await project({ outputs: {}, permissions }).run();
  expect(questions).toHaveLength(2);
  expect(questions[0]).toMatch(
    /^Run in \/project, .*; it runs a command; it runs after this and every later edit, so that .*:\n {2}\| node_modules\/\.bin\/tsc --noEmit/,
  );
});

test('an error is reported once, and never a flood', async () => {
  const many = Array.from({ length: 50 }, (_, at) => tsError(at, `Wrong ${at}. ${'x'.repeat(1_000)}`)).join('\n');
  const { run, asked } = project({ outputs: { tsc: ['', many, many], eslint: [] }, mode: 'on' });
  const [added] = await run();
  const text = added?.type === 'text' ? added.text : '';
  expect(text.split('\n')).toHaveLength(12);
  expect(text).toContain('… and 40 more');
  expect(text.length).toBeLessThan(5_000);
  expect(await run()).toEqual([]);
  expect(asked).toEqual([]);
});

test('a slow checker costs one line and is not used again; files elsewhere are not checked', async () => {
  const { run, ran, notices } = project({ outputs: {}, mode: 'on', isLate: true });
  await run();
  const before = ran.length;
  await run();
  expect(ran.length).toBe(before);
  expect(notices).toHaveLength(2);
  await run('../elsewhere/a.ts');
  await run('README.md');
  expect(ran.length).toBe(before);
});
