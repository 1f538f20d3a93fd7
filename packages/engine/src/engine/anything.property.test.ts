import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LonghaulError } from '../errors.ts';
import { dialects, type Message } from '../message/index.ts';
import { brokenMessages } from '../message/messages.arbitrary.ts';
import { ConflictError } from '../session/index.ts';
import { generateSession, judge } from '../testing/index.ts';
import { runs } from '../testing/runs.ts';
import type { EngineSession } from './engine-session.ts';
import { byCharacter } from './fixtures/by-character.ts';
import { begin, modelOf } from './fixtures/engine.ts';
import { say, system } from './fixtures/messages.ts';
import { bodyOf } from './fixtures/send.ts';
import type { Prepared } from './types.ts';

const timeout = 3_600_000;

/** What an agent, its user, its tools and its provider may do between two requests. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('prepare' as const),
      provider: fc.constantFrom(0, 0, 0, 1, 2, 3),
      window: fc.constantFrom(4_000, 9_000, 9_000, 30_000),
      words: fc.integer({ min: 0, max: 2_000 }),
      reported: fc.constantFrom(0, 0.85, 1, 1.15, 1e6),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('say' as const), messages: brokenMessages() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      messages: fc
        .tuple(fc.nat(), fc.constantFrom(...dialects))
        .map(([seed, thinking]) => generateSession({ seed, turns: 2, thinking })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('undo', 'redo', 'reopen', 'overflow', 'compact', 'rewind', 'tools', 'head', 'edit', 'other'),
      at: fc.nat(9),
    }),
  },
);

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

/** What may be refused, and why. Everything else is a fault. */
const refusals = new Set([
  'nothing-to-undo',
  'nothing-to-redo',
  'not-on-path',
  'not-in-context',
  'budget-exceeded',
  'still-too-long',
  'nothing-to-send',
]);

test(
  'promises 1, 2, 3, 4, 5 and 7 hold whatever happens between two requests',
  async () => {
    let prepared = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 30, size: 'max' }), async (events) => {
        const world = await createWorld();
        for (const event of events) {
          try {
            prepared += await world.live(event);
          } catch (error) {
            if (!LonghaulError.is(error) || !refusals.has(error.code)) throw error;
            refused += event.do === 'prepare' ? 1 : 0;
          }
        }
        await world.checkLog();
      }),
      { ...runs(300), endOnFailure: true },
    );
    expect(prepared).toBeGreaterThan(refused * 20);
  },
  timeout,
);

async function createWorld() {
  const { session, again } = await begin({ summarizer: byCharacter });
  const said: string[] = [];
  let subject: EngineSession = session;
  let tools: { name: string; inputSchema: { type: string } }[] = [];
  let head: Message[] = [];
  let before: { readonly prepared: Prepared; readonly leaf: string | null } | undefined;
  return { live, checkLog };

  /** Lets one thing happen; tells how many requests were made. */
  async function live(event: Happening): Promise<number> {
    if (event.do === 'prepare') return await request(event);
    if ('messages' in event) {
      for (const message of event.messages) await subject.append({ type: 'message', message });
      said.push(...event.messages.flatMap(textsIn));
      return 0;
    }
    const item = subject.context.items.at(-1 - event.at)?.entry ?? null;
    if (event.do === 'undo') await subject.undo();
    else if (event.do === 'redo') await subject.redo();
    else if (event.do === 'reopen') subject = await again();
    else if (event.do === 'overflow')
      await subject.report({ failure: { kind: 'overflow', message: '', retryable: true } });
    else if (event.do === 'compact') await subject.compact({ model: modelOf({ window: 9_000 }) });
    else if (event.do === 'rewind') await subject.session.rewind({ to: item });
    else if (event.do === 'tools') tools = tools.length > 0 ? [] : [{ name: 'run', inputSchema: { type: 'object' } }];
    else if (event.do === 'head') head = [system('x'.repeat(1 + event.at * 50))];
    else if (event.do === 'edit' && item !== null) await subject.session.edit({ target: item, replacement: null });
    else if (event.do === 'other') await meddle();
    return 0;
  }

  /** Another engine speaks first; this one gets a conflict and reads again. */
  async function meddle(): Promise<void> {
    await (await again()).append({ type: 'message', message: say('from elsewhere') });
    await expect(subject.append({ type: 'message', message: say('from here') })).rejects.toBeInstanceOf(ConflictError);
    await subject.session.reload();
    said.push('from elsewhere');
  }

  async function request(event: Extract<Happening, { do: 'prepare' }>): Promise<number> {
    const dialect = dialects[event.provider] ?? 'anthropic';
    const model = modelOf({ window: event.window, dialect, name: dialect });
    const words = 'word '.repeat(event.words / 5);
    const turn = { messages: words === '' ? [] : [say(words)] };
    const prepared = await subject.prepare({ model, head, tools, turn });
    if (words !== '') said.push(words);
    const { bound, report, items, epoch } = prepared;
    expect(bound).toBeLessThanOrEqual(report.budget.limit);
    expect(report.opened.length).toBeLessThanOrEqual(6);
    if (items.some(({ role }) => role === 'user')) {
      const rest = dialect === 'anthropic' ? { thinking: { type: 'adaptive' } } : {};
      // Where nothing was asked, the next thing that somebody says is taken.
      const isAsked = items.at(-1)?.role !== 'assistant' || dialect === 'anthropic';
      const request = isAsked ? prepared : { ...prepared, items: [...items, say('go on')] };
      const body = { ...bodyOf({ prepared: request, dialect }), ...rest };
      expect(judge({ dialect, body, options: { allowPrefill: true } })).toEqual({ legal: true });
    }
    // Where the session went elsewhere meanwhile, something else is sent.
    const path = new Set((await subject.session.path()).map(({ id }) => id));
    if (before && before.prepared.epoch === epoch && (before.leaf === null || path.has(before.leaf))) {
      expect(items.slice(0, before.prepared.items.length)).toEqual(before.prepared.items);
    }
    before = { prepared, leaf: subject.session.head.leaf };
    if (event.reported > 0) await subject.report({ usage: { input: Math.round(prepared.tokens * event.reported) } });
    return 1;
  }

  /** All that was ever said is in the log, as it was said, and a restart sends what was sent. */
  async function checkLog(): Promise<void> {
    const entries = await subject.session.read({ types: ['message'] });
    const kept = entries.flatMap((entry) => (entry.type === 'message' ? textsIn(entry.message) : []));
    for (const text of said) expect(kept).toContain(text);
    expect((await again()).context.items).toEqual(subject.context.items);
  }
}

function textsIn({ parts }: Message): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}
