import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { branched } from '../fixtures/branch.ts';
import { byCharacter } from '../fixtures/by-character.ts';
import type { AfterMove, BeforeMove, Hooks } from '../hooks/hooks.ts';
import { createHookRunner } from '../hooks/run-hooks.ts';
import { type MoveInput, moveSession } from './move.ts';

async function moveWith(hooks: Hooks, wish: Partial<MoveInput> = {}) {
  const made = await branched({ summarizer: byCharacter });
  const { session } = made.session;
  const tools = { session, summarizer: byCharacter, count: (text: string) => text.length, countMessage: () => 1 };
  const failed: string[] = [];
  const emit = (name: string) => void failed.push(name);
  const asking = createHookRunner({ ...tools, hooks, secrets: [], now: () => 7, emit });
  const moving = moveSession({ ...tools, hooks: asking, to: made.answered.id, summarize: true, ...wish });
  return { ...made, failed, result: await moving };
}

test('a hook before a move receives what would be abandoned, and may cancel it', async () => {
  const events: BeforeMove[] = [];
  const { result, session, work, answered } = await moveWith(
    {
      beforeMove: (event) => {
        events.push(event);
        return { cancel: 'not on a Friday' };
      },
      afterMove: () => Promise.reject(new Error('nobody moved')),
    },
    { focus: 'the cache', label: 'x' },
  );
  expect(result).toMatchObject({ moved: false, cancelled: 'not on a Friday', leaf: work.at(-1)?.id });
  expect(session.session.head.leaf).toBe(work.at(-1)?.id);
  const { id } = session;
  const places = { from: work.at(-1)?.id, to: answered.id, ancestor: answered.id };
  const wish = { summarize: true, focus: 'the cache', label: 'x' };
  expect(events).toMatchObject([
    { session: id, at: 7, trigger: 'manual', abandoned: 1 + work.length, ...places, ...wish },
  ]);
});

test('a summary of a hook is taken where one was asked for, masked, and with the files of the branch in its record', async () => {
  const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const beforeMove = () => ({ summary: `It failed with ${key}.` });
  const { result } = await moveWith({ beforeMove });
  expect(result.summary?.summary).toMatch(/^It failed with \[secret:[0-9a-f]{6}\]\.$/);
  expect(result.summary?.details).toMatchObject({ rung: 'hook', files: { changed: ['src/parser.ts'] } });
  expect((await moveWith({ beforeMove }, { summarize: false })).result.summary).toBeUndefined();
});

test('a hook after a move receives the new position', async () => {
  const events: AfterMove[] = [];
  const { result, work, answered } = await moveWith({ afterMove: (event) => events.push(event) });
  const { id } = result.summary ?? {};
  expect(events).toMatchObject([{ from: work.at(-1)?.id, to: answered.id, leaf: id, summary: id, trigger: 'manual' }]);
});

test('failing hooks are reported and stop nothing', async () => {
  const fail = () => Promise.reject(new Error('broken'));
  const { result, failed } = await moveWith({
    beforeMove: () => {
      throw new Error('broken');
    },
    afterMove: fail,
  });
  expect(result).toMatchObject({ moved: true, branch: { strategy: 'extractive' } });
  expect(failed).toEqual(['hookFailed', 'hookFailed']);
});

test('a dry run asks no hook', async () => {
  const { result } = await moveWith({ beforeMove: () => ({ cancel: 'no' }) }, { dryRun: true });
  expect(result.branch?.strategy).toBe('extractive');
});

test('an engine asks its hooks before a move, names the transcript to them, and tells of the move', async () => {
  const events: BeforeMove[] = [];
  const beforeMove = (event: BeforeMove) => {
    events.push(event);
    return undefined;
  };
  const { session, answered, work } = await branched({ summarizer: byCharacter, hooks: { beforeMove } });
  const dir = await mkdtemp(join(tmpdir(), 'longhaul-move-'));
  const transcript = await session.follow({ file: join(dir, 't.jsonl') });
  const moves: unknown[] = [];
  session.on('moved', (event) => moves.push(event));
  const { summary } = await session.move({ to: answered.id, summarize: true });
  await transcript.close();
  await rm(dir, { recursive: true });
  expect(events).toMatchObject([{ to: answered.id, transcript: join(dir, 't.jsonl') }]);
  const where = { from: work.at(-1)?.id, to: summary?.id, summary: summary?.id };
  expect(moves).toMatchObject([{ ...where, abandoned: 1 + work.length }]);
});
