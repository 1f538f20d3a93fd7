import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isObject } from '../json.ts';
import type { CompactionEntry } from '../session/index.ts';
import { createExtractiveSummarizer } from '../summarize/in-worker.ts';
import type { Summarizer } from '../summarize/summarizer.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import type { EngineEvent } from './events/event.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { answer, say } from './fixtures/messages.ts';
import { long, talk } from './fixtures/talk.ts';
import { combineHooks } from './hooks/combine.ts';
import type { BeforeCompaction, Hooks } from './hooks/hooks.ts';
import { createShellHooks } from './hooks/shell/shell-hooks.ts';

const model = modelOf({ window: 10_000 });
/** In which nothing is compacted unasked. */
const roomy = modelOf({ window: 100_000 });

/** A session worth compacting, and what it tells from now on. */
async function worked(of: Parameters<typeof begin>[0] & { readonly turns?: number }) {
  const { session, ...rest } = await begin(of);
  await talk({ session, turns: of.turns ?? 6, model: roomy });
  return { session, events: listen(session), ...rest };
}

function listen(session: EngineSession): EngineEvent[] {
  const events: EngineEvent[] = [];
  session.onAny((event) => void events.push(event));
  return events;
}

async function records(session: EngineSession): Promise<CompactionEntry[]> {
  return (await session.session.read({ types: ['compaction'] })).filter((entry) => entry.type === 'compaction');
}

/** One that is asked, as a model would be. */
const slow = (): Summarizer & { readonly asked: number } => {
  let asked = 0;
  return {
    strategy: 'model',
    get asked() {
      return asked;
    },
    summarize: async () => {
      asked += 1;
      return { text: 'made beside', short: 's' };
    },
  };
};

/** A turn whose size the provider confirms, so that there is a time before it no longer fits. */
async function confirmed(of: { readonly session: EngineSession; readonly turn: number; readonly text?: string }) {
  const { session, turn } = of;
  const { tokens: input } = await session.prepare({ model, turn: { messages: [say(`question ${turn}`)] } });
  await session.report({ usage: { input, output: 0, cacheRead: 0, cacheWrite: 0 } });
  await session.append({ type: 'message', message: answer(of.text ?? long(`answer ${turn}`)) });
}

describe('before a compaction', () => {
  test('editor.md 3.10: a hook receives the manual trigger and the focus', async () => {
    const reported: BeforeCompaction[] = [];
    const { session } = await worked({ hooks: { beforeCompaction: (event) => void reported.push(event) } });
    await session.compact({ model, focus: 'the login bug' });
    expect(reported).toMatchObject([
      { session: session.id, trigger: 'manual', focus: 'the login bug', window: 10_000, messages: 12 },
    ]);
    expect(reported[0]?.tokens).toBeGreaterThan(6_000);
  });

  test('a cancel is respected, reported with its reason, and leaves the log unchanged', async () => {
    const { session, events } = await worked({ hooks: { beforeCompaction: () => ({ cancel: 'Not on Friday.' }) } });
    const { last } = session.session.head;
    const result = await session.compact({ model });
    expect(result).toMatchObject({ installed: false, cancelled: true });
    expect(result.reason).toBe('A hook cancelled it: Not on Friday.');
    expect(events.at(-1)).toMatchObject({ type: 'compactionComplete', success: false, cancelled: true });
    expect(session.session.head.last).toBe(last);
  });

  test('whatever hooks call off, what is sent fits: the guard cuts', async () => {
    const { session } = await begin({ hooks: { beforeCompaction: () => ({ cancel: 'never' }) } });
    const events = listen(session);
    await talk({ session, turns: 12 });
    const { bound, report } = await session.prepare({ model, turn: { messages: [say('now?')] } });
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    expect(await records(session)).toEqual([]);
    expect(events.some(({ type }) => type === 'guard')).toBe(true);
  });

  test('a summary that it brings is taken, masked, and recorded as a hook’s', async () => {
    const text = 'All is well with sk-hidden.';
    const hooks: Hooks = { beforeCompaction: () => ({ replace: { text, short: 'fine' } }) };
    const { session } = await worked({ hooks, secrets: ['sk-hidden'] });
    const result = await session.compact({ model });
    expect(result).toMatchObject({ installed: true, strategy: 'hook' });
    const [record] = await records(session);
    expect(record).toMatchObject({ shortSummary: 'fine', details: { rung: 'hook' } });
    expect(record?.summary).toMatch(/^All is well with \[secret:\S+\]\.$/);
    expect(JSON.stringify(session.context.items)).not.toContain('sk-hidden');
  });

  test('sessions.md 9.1: one that does not fit is reported as a failure, and the default one is made', async () => {
    const { session, events } = await worked({
      hooks: { beforeCompaction: () => ({ replace: { text: 'x'.repeat(50_000) } }) },
    });
    expect(await session.compact({ model })).toMatchObject({ installed: true, strategy: 'stub' });
    expect(events.filter(({ type }) => type === 'hookFailed')).toMatchObject([
      { hook: 'beforeCompaction', kind: 'answer' },
    ]);
  });

  test('what it pins is carried on, once, and never as words of the user', async () => {
    const hooks: Hooks = { beforeCompaction: () => ({ pins: ['Tests run with make.'] }) };
    const { session } = await worked({ hooks, summarizer: createExtractiveSummarizer({ worker: false }), turns: 12 });
    const { loss, summary } = await session.compact({ model });
    expect(summary).toMatch(/- Tests run with make\. \(@\d+, set by a hook\)/);
    expect(loss?.pins).toContainEqual({ text: 'Tests run with make.', survived: true });
    await talk({ session, turns: 6, from: 12, model: roomy });
    expect((await session.compact({ model })).summary).toContain('Tests run with make.');
    expect(await session.session.read({ types: ['pin'] })).toMatchObject([{ by: 'hook' }]);
  });

  test('what it wants to be kept in view does not pass for a wish of the user', async () => {
    const hooks: Hooks = { beforeCompaction: () => ({ focus: 'answer 3' }) };
    const { session } = await worked({ hooks, summarizer: createExtractiveSummarizer({ worker: false }), turns: 12 });
    const { summary } = await session.compact({ model, focus: 'asked for' });
    expect(summary).toContain('A hook asked to keep this in view: answer 3');
    expect(summary).not.toContain('The user asked');
  });
});

describe('while its summary is made, and after', () => {
  test('context is sent, data is kept in the record and returned', async () => {
    const after: unknown[] = [];
    const hooks: Hooks = {
      compacting: ({ handles }) => ({ context: [`up to ${handles?.to}`], keep: { ticket: 7 } }),
      afterCompaction: (event) => after.push(event),
    };
    const { session } = await worked({ hooks });
    const result = await session.compact({ model });
    const [record] = await records(session);
    expect(record?.details).toMatchObject({ kept: { ticket: 7 } });
    expect(record?.summary).toMatch(/## Added by a hook\n\nThe user did not say this:\n- up to \d+$/);
    expect(after).toMatchObject([{ entry: record?.id, kept: { ticket: 7 }, trigger: 'manual', result }]);
    expect(isObject(result.loss)).toBe(true);
  });

  test('after a compaction that was not installed no hook reports it as installed', async () => {
    const reported: unknown[] = [];
    const { session } = await begin({ hooks: { afterCompaction: (event) => void reported.push(event) } });
    expect((await session.compact({ model: roomy })).installed).toBe(false);
    expect(reported).toEqual([]);
  });

  test('a turn does not wait for those who only want to know', async () => {
    let isAsked = false;
    const afterCompaction = () => {
      isAsked = true;
      return new Promise<never>(() => undefined);
    };
    const { session } = await begin({ hooks: { timeout: 1e9, afterCompaction } });
    await talk({ session, turns: 12 });
    expect(await records(session)).not.toEqual([]);
    expect(isAsked).toBe(true);
  });

  test('a dry run calls no hook', async () => {
    let asked = 0;
    const count = () => {
      asked += 1;
      return undefined;
    };
    const { session } = await worked({
      hooks: { beforeCompaction: count, compacting: count, afterCompaction: count },
    });
    expect((await session.preview({ model })).worthwhile).toBe(true);
    expect(asked).toBe(0);
  });
});

describe('a background summary', () => {
  test('asks hooks when it begins, and tells them when it is in force', async () => {
    const order: string[] = [];
    const hooks: Hooks = {
      beforeCompaction: ({ trigger }) => void order.push(`before ${trigger}`),
      compacting: ({ trigger }) => void order.push(`compacting ${trigger}`),
      afterCompaction: ({ trigger }) => void order.push(`after ${trigger}`),
    };
    const { session } = await begin({ hooks, summarizer: slow() });
    session.on('jobInstalled', () => void order.push('installed'));
    for (let turn = 0; !order.includes('installed') && turn < 60; turn += 1) {
      await confirmed({ session, turn, text: 'lorem ipsum '.repeat(25) });
      // What runs beside the work is given a moment.
      await expect.poll(() => session.job.state).not.toBe('running');
    }
    expect(order).toEqual(['before background', 'compacting background', 'after background', 'installed']);
  });

  test('that a hook calls off is not begun again at every request', async () => {
    let asked = 0;
    const beforeCompaction = ({ trigger }: BeforeCompaction) => {
      asked += trigger === 'background' ? 1 : 0;
      return { cancel: 'not now' };
    };
    const summarizer = slow();
    const { session } = await begin({ hooks: { beforeCompaction }, summarizer });
    const events = listen(session);
    for (let turn = 0; turn < 6; turn += 1) await confirmed({ session, turn });
    for (let turn = 6; turn < 11; turn += 1) await confirmed({ session, turn, text: 'short' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'jobSettled', outcome: 'cancelled', why: 'A hook cancelled it: not now' }),
    );
    expect(asked).toBeLessThanOrEqual(2);
    expect(summarizer.asked).toBe(0);
  });
});

test('promise 8: nothing comes of a job whose hook still hangs when the conversation goes elsewhere', async () => {
  let isHanging = false;
  let answerIt: (answer: { readonly pins: readonly string[] }) => void = () => undefined;
  const beforeCompaction = ({ trigger }: BeforeCompaction) => {
    if (trigger !== 'background') return undefined;
    isHanging = true;
    return new Promise<{ readonly pins: readonly string[] }>((resolve) => {
      answerIt = resolve;
    });
  };
  const { session } = await begin({ hooks: { timeout: 1e9, beforeCompaction }, summarizer: slow() });
  for (let turn = 0; !isHanging && turn < 60; turn += 1) {
    await confirmed({ session, turn, text: 'lorem ipsum '.repeat(25) });
  }
  expect(session.job.state).toBe('running');
  expect(session.cancelJob()).toBe(true);
  const { last } = session.session.head;
  answerIt({ pins: ['too late'] });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(session.session.head.last).toBe(last);
  expect(session.job.state).not.toBe('ready');
});

describe('hooks that break', () => {
  const broken: Hooks = {
    beforeCompaction: () => Promise.reject(new Error('with sk-hidden')),
    compacting: () => {
      throw new Error('two');
    },
    afterCompaction: () => Promise.reject(new Error('three')),
  };

  test('do not change the summary, and are reported without keys', async () => {
    const with_ = await worked({ hooks: broken, secrets: ['sk-hidden'] });
    const without = await worked({});
    const [one, two] = [await with_.session.compact({ model }), await without.session.compact({ model })];
    expect(one.summary).toBe(two.summary);
    expect(with_.events.flatMap((event) => (event.type === 'hookFailed' ? [event.hook] : []))).toEqual([
      ...['beforeCompaction', 'compacting', 'afterCompaction'],
    ]);
    expect(JSON.stringify(with_.events)).not.toContain('sk-hidden');
  });

  test('the caller can abort while a hook hangs', async () => {
    const off = new AbortController();
    const { session, events } = await worked({
      hooks: {
        beforeCompaction: () => {
          off.abort();
          return new Promise(() => undefined);
        },
      },
    });
    await expect(session.compact({ model, signal: off.signal })).rejects.toThrow();
    expect(events.at(-1)).toMatchObject({ type: 'compactionComplete', cancelled: true, success: false });
    expect(await records(session)).toEqual([]);
  });

  const answers = fc.oneof(
    fc.constantFrom<unknown>(undefined, null, 7, 'text', [], { cancel: 'no' }, { pins: [''] }, { replace: 5 }),
    fc.record({ replace: fc.record({ text: fc.string({ maxLength: 20_000 }) }) }),
    fc.record({ pins: fc.array(fc.string({ maxLength: 600 }), { maxLength: 5 }) }),
    fc.record({ context: fc.array(fc.string({ maxLength: 4_000 }), { maxLength: 5 }), focus: fc.string() }),
    fc.record({ instructions: fc.string(), keep: fc.jsonValue() }),
    fc.constantFrom('throws', 'rejects', 'hangs').map((behavior) => ({ behavior })),
  );

  test('whatever hooks say or do, every request fits and is made', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 5 }), async (said) => {
        let turn = 0;
        const next = (): never => {
          turn += 1;
          const value = said[turn % said.length];
          const behavior = isObject(value) ? value.behavior : undefined;
          if (behavior === 'throws') throw new Error('broken');
          if (behavior === 'rejects') return Promise.reject(new Error('broken')) as never;
          if (behavior === 'hangs') return new Promise(() => undefined) as never;
          return value as never;
        };
        const hooks: Hooks = { timeout: 1, beforeCompaction: next, compacting: next, afterCompaction: next };
        const { session } = await begin({ hooks });
        for (let round = 0; round < 12; round += 1) {
          await talk({ session, turns: 1, from: round });
          const { bound, report } = await session.prepare({ model });
          expect(bound).toBeLessThanOrEqual(report.budget.limit);
        }
      }),
      { ...runs(60), endOnFailure: true },
    );
  });
});

test.skipIf(process.platform === 'win32')('commands of the shell take part like any other hook', async () => {
  const shell = createShellHooks({
    commands: {
      PreCompact: [
        { command: 'echo "The build is broken." >&2; exit 1' },
        { command: `grep -q '"custom_instructions":"the bug"' && echo '{"pins":["Ask before you deploy."]}'` },
      ],
      Compacting: [{ command: 'echo "Tickets are in Linear."' }],
    },
  });
  const { session, events } = await worked({ hooks: combineHooks({ hooks: [shell] }) });
  const { summary } = await session.compact({ model, focus: 'the bug' });
  expect(summary).toContain('Ask before you deploy.');
  expect(summary).toContain('- Tickets are in Linear.');
  expect(events.filter(({ type }) => type === 'hookFailed')).toMatchObject([
    {
      kind: 'exit',
      why: 'It ended with exit code 1: The build is broken.',
      command: expect.stringContaining('exit 1'),
    },
  ]);
});
