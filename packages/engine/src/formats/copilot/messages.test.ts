import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { asked, happened, injected, started } from '../fixtures/copilot-file.ts';
import { jsonl } from '../fixtures/pi-file.ts';
import { wrapped } from './messages.ts';

const spoken = (typed: string, sent: string) =>
  wrapped({ typed, sent, author: 'human' }).map(({ origin, text }) => `${origin}: ${text}`);

const time = '<current_datetime>12:40</current_datetime>\n\n';
const reminder = '\n\n<system_reminder>\n<sql_tables>todos</sql_tables>\n</system_reminder>';

describe('what was typed is a person’s, what was wrapped around it is not', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['nothing around it', 'Go on.', 'Go on.', ['human: Go on.']],
    [
      'the time and a reminder',
      'Go on.',
      `${time}Go on.${reminder}`,
      [`engine: ${time}`, 'human: Go on.', `engine: ${reminder}`],
    ],
    [
      'a sentence before it',
      'modularise it',
      `${time}[[PLAN]] Make a plan.\n\nMy request: modularise it${reminder}`,
      [`engine: ${time}[[PLAN]] Make a plan.\n\nMy request: `, 'human: modularise it', `engine: ${reminder}`],
    ],
    [
      'a word that stands in a tag as well',
      'time',
      `${time}time${reminder}`,
      [`engine: ${time}`, 'human: time', `engine: ${reminder}`],
    ],
    [
      'a word of the sentence before it',
      'plan',
      `${time}Make a plan: plan`,
      [`engine: ${time}Make a plan: `, 'human: plan'],
    ],
    [
      'elements that were typed',
      '<b>x</b>',
      `${time}<b>x</b>${reminder}`,
      [`engine: ${time}`, 'human: <b>x</b>', `engine: ${reminder}`],
    ],
    [
      'typed in other words',
      '@a.ts why?',
      `${time}/repo/a.ts why?${reminder}`,
      [`engine: ${time}`, 'human: /repo/a.ts why?', `engine: ${reminder}`],
    ],
    ['nothing typed', '', reminder, [`engine: ${reminder}`]],
    ['an element that is never closed', 'x', '<a>x', ['engine: <a>', 'human: x']],
  ])('%s', (_, typed, sent, expected) => {
    expect(spoken(typed, sent)).toEqual(expected);
    expect(
      wrapped({ typed, sent, author: 'human' })
        .map(({ text }) => text)
        .join(''),
    ).toBe(sent);
  });

  test('a long text of openings takes no long time', () => {
    expect(spoken('x', `${'<a>'.repeat(20_000)}x`)).toHaveLength(2);
    expect(spoken('y', `${'<a></a>'.repeat(20_000)}`).length).toBeGreaterThan(0);
  });
});

describe('who speaks in the user’s role', () => {
  const origins = async (event: JsonObject) => {
    const { live } = await bringIn({ text: jsonl([started(), event]) });
    return live.context.items[0]?.message.parts.map(({ origin }) => origin);
  };

  test.each<[string, JsonObject, readonly string[]]>([
    ['a person', asked('Go on.'), ['engine', 'human', 'engine']],
    ['a skill', injected('<skill-context name="x">Do so.</skill-context>', 'skill-x'), ['engine']],
    ['the client', injected('<system_reminder>Mind.</system_reminder>', 'system'), ['engine']],
    ['another agent', injected('Report.', 'agent-7'), ['model']],
    ['a schedule', asked('Look again.', { source: 'schedule-1' }), ['engine', 'engine', 'engine']],
    ['the autopilot', asked('Continue.', { isAutopilotContinuation: true }), ['engine', 'engine', 'engine']],
    [
      'a reminder without a source',
      happened('user.message', { content: '<system_reminder>x</system_reminder>' }),
      ['engine'],
    ],
    [
      'an empty message that was filled',
      happened('user.message', { content: '', transformedContent: '<system_reminder>x</system_reminder>' }),
      ['engine'],
    ],
  ])('%s', async (_, event, expected) => {
    expect(await origins(event)).toEqual(expected);
  });

  test('typed words that were sent in others are in the log all the same', async () => {
    const event = happened('user.message', { content: '@a.ts why?', transformedContent: `${time}/repo/a.ts why?` });
    const { entries } = await bringIn({ text: jsonl([started(), event]) });
    expect(entries[0]).toMatchObject({ details: { copilot: { content: '@a.ts why?' } } });
  });

  test('an import hung where a message ends with two elements of one name', async () => {
    const transformedContent = 'why?\n\n<note>a</note>\n\n<note>b</note>';
    expect(await origins(happened('user.message', { content: 'why?', transformedContent }))).toEqual([
      'human',
      'engine',
    ]);
  });
});
