import { describe, expect, test } from 'vitest';
import { call, result, say } from '../fixtures/messages.ts';
import { continuationFor } from './continuation.ts';
import { withEnvironment } from './environment.ts';
import { overridesOf } from './policy.ts';
import { createPolicy, presets } from './presets.ts';
import { boundaryOf } from './situation.ts';

describe('createPolicy', () => {
  test('replaces members group by group, of longhaul by default', () => {
    const { longhaul } = presets;
    expect(createPolicy({})).toEqual(longhaul);
    expect(createPolicy({ when: { late: 0.9 }, prune: { offloadAbove: 8_192 } })).toEqual({
      ...longhaul,
      when: { ...longhaul.when, late: 0.9 },
      prune: { outputs: true, offloadAbove: 8_192 },
    });
  });

  test('keeps what the base imitates, and replaces keep as a whole', () => {
    const policy = createPolicy({ base: presets.pi, name: 'own', keep: { rounds: 2 }, imitates: { compactAt: 0.9 } });
    expect(policy).toEqual({
      ...presets.pi,
      name: 'own',
      keep: { rounds: 2 },
      imitates: { ...presets.pi.imitates, compactAt: 0.9 },
    });
    expect(overridesOf(policy)).toMatchObject({ compactAt: 0.9, splitsTurns: true, summaryTag: 'summary' });
  });

  test('the default policy imitates nothing', () => {
    expect(presets.longhaul.imitates).toBeUndefined();
    expect(overridesOf(presets.longhaul)).not.toHaveProperty('compactAt');
  });
});

describe('the environment', () => {
  const { cli } = presets;

  test('moves the two points of Copilot CLI (sessions.md 11.4)', () => {
    const env = { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: '0.5', COPILOT_BUFFER_EXHAUSTION_THRESHOLD: ' 0.6 ' };
    expect(withEnvironment({ policy: cli, env })).toEqual({
      ...cli,
      when: { ...cli.when, start: { warm: [0.5, 0.5], cold: [0.5, 0.5] } },
      imitates: { block: 0.6 },
    });
  });

  test('says nothing: nothing changes', () => {
    expect(withEnvironment({ policy: cli, env: { COPILOT_BUFFER_EXHAUSTION_THRESHOLD: '' } })).toEqual(cli);
  });

  test.each(['COPILOT_BACKGROUND_COMPACTION_THRESHOLD', 'COPILOT_BUFFER_EXHAUSTION_THRESHOLD'])(
    '%s is for a policy that blocks, and for no other',
    (name) => {
      for (const policy of [presets.longhaul, presets.chat, presets.pi]) {
        expect(withEnvironment({ policy, env: { [name]: '0.6' } })).toEqual(policy);
      }
    },
  );

  test.each(['0', '1.5', '80', 'much', '-1', 'NaN'])('%s is refused by name', (value) => {
    const env = { COPILOT_BACKGROUND_COMPACTION_THRESHOLD: value };
    expect(() => withEnvironment({ policy: cli, env })).toThrow(/COPILOT_BACKGROUND_COMPACTION_THRESHOLD/);
  });
});

describe('what lies between two requests', () => {
  const todo = (status: string) =>
    ({
      ...call('t'),
      parts: [
        {
          type: 'tool_call',
          origin: 'model',
          id: 't',
          name: 'TodoWrite',
          arguments: JSON.stringify({ todos: [{ content: 'a', status }] }),
        },
      ],
    }) as ReturnType<typeof call>;

  test.each([
    ['turn', [say('next')]],
    ['turn', [todo('completed'), result('t', 'ok'), say('next')]],
    ['task', [todo('completed'), result('t', 'ok')]],
    ['round', [todo('in_progress'), result('t', 'ok')]],
    ['round', [call('a'), result('a', 'completed')]],
    ['round', []],
  ] as const)('%s', (boundary, added) => {
    expect(boundaryOf({ added })).toBe(boundary);
  });
});

describe('going on (D20)', () => {
  const { chat, pi, longhaul } = presets;
  const goesOn = (policy: typeof chat, trigger: Parameters<typeof continuationFor>[0]['trigger'], isAsked = false) =>
    continuationFor({ policy, trigger, isAsked }) !== undefined;

  test('after an overflow always, after a threshold by the policy, by hand never', () => {
    expect([
      goesOn(chat, 'overflow'),
      goesOn(chat, 'threshold'),
      goesOn(pi, 'threshold'),
      goesOn(longhaul, 'background'),
    ]).toEqual([true, false, true, true]);
    expect([goesOn(pi, 'manual'), goesOn(pi, 'threshold', true)]).toEqual([false, false]);
  });

  test('cli#3158: a plan is told to be decided, not to be made again', () => {
    const text = JSON.stringify(continuationFor({ policy: pi, trigger: 'overflow', isAsked: false }));
    expect(text).toMatch(/plan .* is decided/);
  });
});
