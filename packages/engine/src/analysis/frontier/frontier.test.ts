import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { call, client, done, human, itemsOf, model, result, type Said } from '../../engine/fixtures/items.ts';
import { user } from '../../message/index.ts';
import { advanceFrontier } from './advance.ts';
import { bounds, createFrontier, type Frontier } from './frontier.ts';
import { frontierLines } from './lines.ts';

const after = (...said: readonly (Said | readonly Said[])[]): Frontier =>
  advanceFrontier({ frontier: createFrontier({ root: '/p' }), items: itemsOf(...said) });
const tasks = (frontier: Frontier) => frontier.tasks.map(({ text, status }) => `${status} ${text}`);
const section = (frontier: Frontier, name: string) =>
  frontierLines({ frontier }).find((one) => one.name === name)?.lines ?? [];

const todo = (...items: readonly (readonly [string, string])[]) =>
  done('TodoWrite', { todos: items.map(([status, content]) => ({ content, status, activeForm: content })) });

describe('tasks', () => {
  test.each([
    ['Claude Code', todo(['completed', 'a'], ['in_progress', 'b'], ['pending', 'c'])],
    [
      'Claude Code, later',
      [
        ...done('TaskCreate', { subject: 'a' }, 'Task #1 created successfully: a'),
        ...done('TaskCreate', { subject: 'b' }, 'Task #2 created successfully: b'),
        ...done('TaskCreate', { subject: 'c' }, 'Task #3 created successfully: c'),
        ...done('TaskUpdate', { taskId: '1', status: 'completed' }, 'Updated task #1 status'),
        ...done('TaskUpdate', { taskId: '2', status: 'in_progress' }, 'Updated task #2 status'),
      ],
    ],
    [
      'Codex',
      done('update_plan', {
        plan: [
          { step: 'a', status: 'completed' },
          { step: 'b', status: 'in_progress' },
          { step: 'c', status: 'pending' },
        ],
      }),
    ],
    ['Copilot CLI', done('update_todo', { todos: '- [x] a\n- [/] b\n- [ ] c' })],
    [
      'Copilot CLI, by SQL',
      [
        ...done('sql', {
          query:
            "INSERT INTO todos (id, title, status) VALUES ('1', 'a', 'pending'), ('2', 'b', 'pending'), ('3', 'c', 'pending');",
        }),
        ...done('sql', {
          query:
            "UPDATE todos SET status = 'done' WHERE id IN ('1'); UPDATE todos SET status = 'in_progress' WHERE id = '2'; SELECT * FROM todos",
        }),
      ],
    ],
    [
      'VS Code',
      done('manage_todo_list', {
        todoList: [
          { id: 1, title: 'a', status: 'completed' },
          { id: 2, title: 'b', status: 'in-progress' },
          { id: 3, title: 'c', status: 'not-started' },
        ],
      }),
    ],
    ['a plan in a file', done('write', { path: 'plan.md', content: '# Plan\n- [x] a\n- [~] b\n- [ ] c\n' }, 'ok')],
  ])('are read from %s', (_agent, said) => {
    expect(tasks(after(said))).toEqual(['done a', 'active b', 'open c']);
  });

  it('are read from the todo extension of pi, step by step', () => {
    const frontier = after(
      done('todo', { action: 'add', text: 'a' }, 'Added todo #1: a'),
      done('todo', { action: 'add', text: 'b' }, 'Added todo #2: b'),
      done('todo', { action: 'toggle', id: 1 }, 'Todo #1 completed'),
    );
    expect(tasks(frontier)).toEqual(['done a', 'open b']);
  });

  it('follow the edits of a plan file', () => {
    const frontier = after(
      done('Write', {
        file_path: '/p/plan.md',
        content: '- [ ] first step\n- [ ] second step\n```\n- [ ] example\n```\n',
      }),
      done('Edit', { file_path: '/p/plan.md', old_string: '- [ ] first step', new_string: '- [x] first step' }),
      done('Edit', { file_path: '/p/plan.md', old_string: '- [ ] second step', new_string: '' }),
    );
    expect(tasks(frontier)).toEqual(['done first step', 'abandoned second step']);
  });

  it('missing from a list are abandoned if open, and stay done if done', () => {
    const frontier = after(todo(['completed', 'a'], ['pending', 'b']), todo(['pending', 'something else entirely']));
    expect(tasks(frontier)).toEqual(['done a', 'abandoned b', 'open something else entirely']);
  });

  it('that are reworded are the same task', () => {
    const frontier = after(
      todo(['in_progress', 'Run the tests of the parser']),
      todo(['completed', 'Run all tests of the parser']),
    );
    expect(tasks(frontier)).toEqual(['done Run all tests of the parser']);
  });

  it('keep their status when only their name is changed', () => {
    const frontier = after(
      done('TaskCreate', { subject: 'old name' }, 'Task #1 created successfully: old name'),
      done('TaskUpdate', { taskId: '1', status: 'completed' }),
      done('TaskUpdate', { taskId: '1', subject: 'old name, better' }),
    );
    expect(tasks(frontier)).toEqual(['done old name, better']);
  });

  it('are not changed by a call that failed, was refused or has no result', () => {
    const frontier = after(
      todo(['completed', 'a']),
      done('TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }, '<tool_use_error>bad</tool_use_error>', true),
      call('never', 'TodoWrite', { todos: [{ content: 'a', status: 'pending' }] }),
    );
    expect(tasks(frontier)).toEqual(['done a']);
  });

  it('cx#38931, cc#27319: done work stays done when an old list is repeated', () => {
    const frontier = after(
      todo(['completed', 'a'], ['pending', 'b']),
      client('<system_reminder><todos>\n- [ ] a\n- [x] b\n- [ ] c\n</todos></system_reminder>'),
      done('TaskList', {}, '#1 [pending] a\n#2 [pending] b'),
      model('Next I will do a again: - [ ] a'),
      human('- [ ] a'),
    );
    expect(tasks(frontier)).toEqual(['done a', 'done b', 'open c']);
  });

  it('are reopened by an explicit event', () => {
    expect(tasks(after(todo(['completed', 'a']), todo(['pending', 'a'])))).toEqual(['open a']);
  });

  it('cc#46663: delegated work is active until its result, and then done or failed', () => {
    const start = call('1', 'Task', { description: 'look around', prompt: '…', subagent_type: 'x' });
    expect(tasks(after(start))).toEqual(['active look around']);
    expect(tasks(after(start, result('1', 'found it')))).toEqual(['done look around']);
    expect(tasks(after(start, result('1', 'boom', true)))).toEqual(['failed look around']);
    expect(tasks(after(start, result('1', 'Async agent launched successfully.')))).toEqual(['active look around']);
  });

  it('cc#979: a plan is kept with its state', () => {
    const plan = { plan: '# Fix the parser\n\nFirst …' };
    const refused = "The user doesn't want to proceed with this tool use.";
    expect(section(after(call('1', 'ExitPlanMode', plan)), 'plan')).toEqual(['Fix the parser (proposed, @1)']);
    expect(section(after(done('ExitPlanMode', plan, refused, true)), 'plan')).toEqual([
      'Fix the parser (rejected, @1)',
    ]);
    expect(section(after(done('ExitPlanMode', plan, 'User has approved.')), 'plan')).toEqual([
      'Fix the parser (approved, @1)',
    ]);
    expect(section(after(done('ExitPlanMode', plan, 'ok')), 'plan')).toEqual(['Fix the parser (proposed, @1)']);
  });
});

describe('commands', () => {
  it('are kept with their exit codes, the newest first', () => {
    const frontier = after(
      done('Bash', { command: 'npm ci' }, 'added 5'),
      done('shell', { command: ['bash', '-lc', 'cd /p && make'] }, 'Exit code: 2\nWall time: 1 seconds\nOutput:\n'),
      done('execute_bash', { command: 'deploy' }, 'went well, it seems'),
    );
    expect(section(frontier, 'commands')).toEqual([
      'unknown — deploy (@6)',
      'exit 2 — make (@4)',
      'unknown — npm ci (@2)',
    ]);
  });

  it('without an exit code are unknown, unless the log shows that failures are marked', () => {
    const failing = done('Bash', { command: 'npm ci' }, 'Exit code 1\nnpm ERR! no', true);
    const frontier = after(
      done('Bash', { command: 'npm test' }, 'Error: Cannot find module "vitest"'),
      done('Bash', { command: 'npx tsc' }, 'fine'),
      failing,
      done('Bash', { command: 'npx tsc -p .' }, 'fine'),
      done('Bash', { command: 'npm run lint' }, 'Error: no such config'),
      done('shell', { command: 'npm run check' }, 'fine'),
    );
    expect(section(frontier, 'commands')).toEqual([
      'unknown — npm run check (@12)',
      'unknown — npm run lint (@10)',
      'ok — npx tsc -p . (@8)',
      'exit 1 — npm ci (@6)',
      'unknown — npx tsc (@4)',
      'unknown — npm test (@2)',
    ]);
    expect(section(frontier, 'tests').map((line) => line.split(' (')[0])).toEqual([
      'unknown — npm run check',
      'unknown — npm run lint',
      'passed — npx tsc -p .',
      'unknown — npx tsc',
      'unknown — npm test',
    ]);
  });

  it('a result that Claude Code marks as no error is a success', () => {
    const [asked, answered] = done('Bash', { command: 'npx tsc' }, 'fine');
    const marked = {
      ...answered,
      parts: answered?.parts.map((part) => ({ ...part, wire: { dialect: 'anthropic', fields: { is_error: false } } })),
    } as typeof answered;
    expect(section(after(asked ? [asked] : [], marked ? [marked] : []), 'tests')).toEqual([
      'passed — npx tsc (exit code, @2)',
    ]);
  });

  it('that only read do not push out the others', () => {
    const looks = Array.from({ length: 50 }, () => done('Bash', { command: 'ls' }, 'a')).flat();
    const frontier = after(done('Bash', { command: 'npm ci' }, 'added 5'), looks);
    expect(section(frontier, 'commands')).toEqual(['unknown — ls (@102)', 'unknown — npm ci (@2)']);
  });
});

describe('files', () => {
  it('sessions.md 6.7: a failed edit is no change', () => {
    const frontier = after(
      done('edit', { path: 'a.ts', oldText: 'x', newText: 'y' }, 'Could not find the exact text in a.ts.', true),
      done(
        'apply_patch',
        '*** Begin Patch\n*** Update File: b.ts\n*** End Patch',
        'apply_patch verification failed: no',
      ),
      done('Bash', { command: 'cp a.ts c.ts' }, 'Exit code 1\ncp: a.ts: No such file', true),
      call('never', 'Write', { file_path: 'd.ts', content: '' }),
    );
    expect(frontier.files).toEqual([]);
  });

  it('sessions.md 6.7: shell commands change files, even if the tests after them fail', () => {
    const frontier = after(
      done('bash', { command: "sed -i 's/a/b/' a.ts && npm test" }, '1 failing\n\n\nCommand exited with code 1', true),
    );
    expect(section(frontier, 'changed')).toEqual(['a.ts (@1)']);
  });

  it('are one file, however their path is written, and leave the read list when they are changed', () => {
    const frontier = after(
      done('Read', { file_path: '/p/src/a.ts' }, '1→x'),
      done('Read', { file_path: '/p/src/b.ts' }, '1→x'),
      done('Bash', { command: 'cd src && touch ./a.ts' }),
    );
    expect(section(frontier, 'read')).toEqual(['src/b.ts (@4)']);
    expect(section(frontier, 'changed')).toEqual(['src/a.ts (@5)']);
  });

  it('are shown relative to the root as soon as it is known', () => {
    const said = [
      done('read', { filePath: '/w/src/a.ts' }, 'x'),
      done('shell_command', { command: 'touch src/a.ts', workdir: '/w' }, 'Exit code: 0\n'),
    ];
    const frontier = advanceFrontier({ frontier: createFrontier(), items: itemsOf(...said) });
    expect(frontier.root).toBe('/w');
    expect(frontier.files).toEqual([{ path: 'src/a.ts', read: 2, changed: 3 }]);
  });

  it('have a hash if their whole content was seen, until an edit', () => {
    const sha = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
    const write = done('Write', { file_path: 'a.ts', content: 'one\n' }, 'ok');
    expect(after(write).files).toMatchObject([{ hash: sha('one\n') }]);
    expect(after(done('read', { path: 'a.ts' }, 'two\n')).files).toMatchObject([{ hash: sha('two\n') }]);
    expect(after(done('read', { path: 'a.ts' }, 'two\n\n[Showing lines 1-1 of 9]')).files[0]).not.toHaveProperty(
      'hash',
    );
    expect(after(done('Read', { file_path: 'a.ts' }, '     1→two')).files[0]).not.toHaveProperty('hash');
    const edited = after(write, done('Edit', { file_path: 'a.ts', old_string: 'one', new_string: 'two' }, 'ok'));
    expect(edited.files[0]).not.toHaveProperty('hash');
  });

  it('are read from the output of aider and SWE-agent, whose calls do not name them', () => {
    const screen: Said = user('Added a.yml to the chat\nApplied edit to b.md\nCommit 1 done', { origin: 'tool' });
    const edit = done(
      'bash',
      { command: 'edit 1:2\nx > y\nend_of_edit' },
      '[File: /w/c.py (9 lines total)]\n1:x\nbash-$',
    );
    const frontier = after(screen, edit);
    expect(section(frontier, 'changed')).toEqual(['/w/c.py (@2)', 'b.md (@1)']);
    expect(section(frontier, 'read')).toEqual(['a.yml (@1)']);
  });
});

describe('processes left running', () => {
  const dev = done(
    'Bash',
    { command: 'npm run dev', run_in_background: true },
    'Command running in background with ID: b1',
  );

  it('are listed until they end', () => {
    expect(section(after(dev), 'processes')).toEqual(['npm run dev (b1, @2)']);
    expect(after(dev, done('KillShell', { shell_id: 'b1' }, 'killed')).processes).toEqual([]);
    expect(after(dev, done('Bash', { command: 'pkill -f "npm run dev"' })).processes).toEqual([]);
    const note = '<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n</task-notification>';
    expect(after(dev, client(note)).processes).toEqual([]);
  });

  it('are recognized in the wording of each agent', () => {
    const shells = after(
      done('exec_command', { cmd: 'serve' }, 'Process running with session ID 42\nOutput:\n'),
      done(
        'bash',
        { command: 'watch', mode: 'async', shellId: 'w' },
        '<command started in background with shellId: w>',
      ),
      done('execute_bash', { command: 'python server.py &' }, '[1] 123'),
    );
    expect(shells.processes.map(({ id }) => id)).toEqual(['42', 'w', '@6']);
    const ended = advanceFrontier({
      frontier: shells,
      items: itemsOf(
        done('write_stdin', { session_id: 42, chars: '' }, 'Process exited with code 0\nOutput:\n'),
        done('read_bash', { shellId: 'w', delay: 5 }, 'x\n<command with shellId: w is still running after 5 seconds.>'),
      ),
    });
    expect(ended.processes.map(({ id }) => id)).toEqual(['w', '@6']);
  });
});

it('stays bounded, counts what it dropped, and shows the newest', () => {
  const reads = Array.from({ length: bounds.files + 50 }, (_, at) => done('Read', { file_path: `f${at}` }, 'x'));
  const frontier = after(done('Write', { file_path: 'kept', content: '' }, 'ok'), reads.flat());
  expect(frontier.files).toHaveLength(bounds.files);
  expect(section(frontier, 'changed')).toHaveLength(1);
  const [read] = frontierLines({ frontier, limits: { read: 2 } }).filter(({ name }) => name === 'read');
  expect(read?.lines).toEqual(['f1049 (@2102)', 'f1048 (@2100)', `… and ${bounds.files - 3 + 51} more`]);
});

it('ignores examples in a prompt and placeholder results', () => {
  const example: Said = {
    role: 'assistant',
    parts: [
      { type: 'tool_call', origin: 'engine', id: 'x', name: 'Write', arguments: '{"file_path":"a","content":""}' },
    ],
  };
  const made: Said = {
    role: 'tool',
    parts: [{ type: 'tool_result', origin: 'engine', callId: 'y', content: [] }],
  };
  const frontier = after(example, result('x', 'ok'), call('y', 'Write', { file_path: 'b', content: '' }), made);
  expect(frontier.files).toEqual([]);
  expect(frontier.pending).toEqual([]);
});
