import { describe, expect, it } from 'vitest';
import { createMask } from '../analysis/index.ts';
import { human, model } from '../engine/fixtures/items.ts';
import { candidatesIn } from './candidates.ts';
import { sessionOf } from './fixtures/sessions.ts';

async function statementsIn(text: string): Promise<string[]> {
  const { header, path } = await sessionOf([human('Hello.'), model('Hello.'), human(text)]);
  return candidatesIn({ header, path, mask: createMask() })
    .filter(({ authority }) => authority === 'person')
    .map((one) => one.text);
}

/** Each says how to work on the project. */
const rules = [
  'Always use tabs in this repository.',
  'Never push to main.',
  'In this repo, tests must never touch the network.',
  'Commit messages should always be in English.',
  'From now on, run the linter before you commit.',
  'We never use default exports.',
  'You should always ask before you delete files.',
  'Whenever you change the schema, always update the docs.',
  'Please always answer in German.',
  'I prefer small commits.',
  'Public functions must always have a doc comment.',
  'Before committing, always run `npm test`.',
  'Always keep functions under 50 lines.',
  'New components should always have a story.',
];

/** Each describes the program that is being built, or what is wanted now. */
const requests = [
  'When clicked, the details in [panel.ts](src/panel.ts) should always load the session of the selected row.',
  'Invalid themes must NEVER explode.',
  'The sidebar should always show the newest session first.',
  'Make sure the dialog always opens in the center of the window.',
  'When the user logs out, always clear the cache.',
  'The server must never return a 500 for a missing user.',
  'If the token is expired, the request should always be repeated once.',
  'We want to avoid that the list is always loaded twice.',
  'I want the button to always be visible.',
  'Ensure that the counter never goes below zero.',
  'Once loaded, the chart should never flicker.',
  'A session in the tree should always be selectable.',
];

describe('rules of people', () => {
  it.each(rules)('%s is remembered', async (text) => {
    expect(await statementsIn(text)).toEqual([text]);
  });

  it.each(requests)('%s is a request, not a rule', async (text) => {
    expect(await statementsIn(text)).toEqual([]);
  });
});
