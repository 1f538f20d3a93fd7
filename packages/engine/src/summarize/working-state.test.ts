import { expect, test } from 'vitest';
import { stateLines } from './working-state.ts';

test('summaries carry the plan with its progress', () => {
  const plan = { text: '- a', status: 'approved', steps: [{ content: 'a', status: 'completed' }] };
  expect(stateLines({ plan }).join('\n')).toBe('Plan (approved by the user): - a\nSteps of the plan:\n  [x] a');
  expect(stateLines({ plan: 'the lexer first' })).toEqual(['Plan: the lexer first']);
});
