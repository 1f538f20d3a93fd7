import { expect, test } from 'vitest';
import { withWork } from './work.fixture.ts';

test('branch returns exactly these members, and the leaf is the summary of the abandoned branch', async () => {
  const { json, id } = await withWork();
  const { code, value } = await json(
    'branch',
    id,
    '--to',
    '@3',
    '--summarize',
    '--focus',
    'record_7',
    '--label',
    'slow',
  );
  expect(code).toBe(0);
  const handle = expect.stringMatching(/^@\d+$/);
  expect(value).toEqual({
    session: id,
    moved: true,
    cancelled: null,
    dryRun: false,
    leaf: handle,
    abandoned: expect.arrayContaining(['@4']),
    text: null,
    summary: {
      text: expect.stringContaining('src/import.ts'),
      strategy: 'extractive',
      handles: { from: '@4', to: handle },
      unread: 0,
      files: { read: [], changed: ['src/import.ts'] },
    },
  });
  const { value: tree } = await json('tree', id);
  expect(tree.leaf).toBe(value.leaf);
  expect(tree.nodes.find((node: { handle: string }) => node.handle === value.leaf)).toMatchObject({
    parent: '@3',
    type: 'branch_summary',
    label: 'slow',
  });
  const { value: context } = await json('context', id);
  expect(JSON.stringify(context.messages.at(-1))).toContain('record_7');
});

test('branch asks the hooks of the user, and stays where it is when one blocks', async () => {
  const settings = JSON.stringify({ hooks: { PreMove: [{ command: 'exit 2' }], PostMove: [{ command: './tell' }] } });
  const { call, json, io, id } = await withWork({ files: { '/home/me/.config/longhaul/config.json': settings } });
  const { value: before } = await json('context', id);
  expect(await call('branch', id, '--to', '@3')).toEqual({
    code: 1,
    stdout: 'A hook cancelled the move: ended with 2\n',
    stderr: '',
  });
  const { code, value } = await json('branch', id, '--to', '@3');
  expect({ code, moved: value.moved, cancelled: value.cancelled }).toEqual({
    code: 1,
    moved: false,
    cancelled: 'ended with 2',
  });
  expect((await json('context', id)).value).toEqual(before);
  expect(io.ranCommands.map(({ input }) => JSON.parse(input).hook_event_name)).toEqual(['PreMove', 'PreMove']);
});

test('branch to a human message returns its text and moves before it; undo returns', async () => {
  const { call, json, id } = await withWork();
  const { value: before } = await json('context', id);
  const { stdout } = await call('branch', id, '--to', '2');
  expect(stdout).toMatch(/^the session is now at @1\n\d+ entries abandoned, still in the tree\n/);
  expect(stdout).toContain('\nThe message, for editing:\n  Make the importer fast. Never push to main.\n');
  expect(stdout).not.toContain('The model gets');
  await call('undo', id);
  expect((await json('context', id)).value.messages).toEqual(before.messages);
});

test('branch tells on a dry run what it would tell, and does nothing', async () => {
  const { call, json, id } = await withWork();
  const { value: before } = await json('tree', id);
  const { code, stdout } = await call('branch', id, '--to', '@3', '--summarize', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^\d+ entries would be abandoned, still in the tree\n\nThe model would get:\n {2}## Overview\n/,
  );
  expect((await json('tree', id)).value).toEqual(before);
});

test('branch to the current position says so, and without a position asks for one', async () => {
  const { call, json, id } = await withWork();
  const { leaf } = (await json('tree', id)).value;
  expect(await call('branch', id, '--to', leaf)).toMatchObject({
    code: 0,
    stdout: `the session is already at ${leaf}\n`,
  });
  expect((await json('branch', id)).value.error).toMatchObject({ code: 'missing-value' });
  expect((await json('branch', id, '--to', '@9999')).value.error).toMatchObject({ code: 'entry-missing' });
});

test('branch that is called off leaves the session where it stood', async () => {
  const { call, json, id } = await withWork({ terminal: true });
  const { value: before } = await json('tree', id);
  const { code, stderr } = await call('branch', id, '--to', '@3', '--summarize');
  expect(code).toBe(130);
  expect(stderr).toContain('the session was not moved');
  expect((await json('tree', id)).value).toEqual(before);
});
