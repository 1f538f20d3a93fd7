import { describe, expect, it } from 'vitest';
import { characters } from './fixtures.fixture.ts';
import { h, render, UserMessage } from './index.ts';

describe('a render that is cancelled', () => {
  it('stops with an error that says so', async () => {
    const control = new AbortController();
    let rendered = 0;
    const Part = async () => {
      rendered += 1;
      control.abort();
      return h(
        UserMessage,
        {},
        h(() => h('br'), {}),
      );
    };
    const failure = render({ element: h(Part, {}), budget: 100, tokenizer: characters, signal: control.signal });
    await expect(failure).rejects.toMatchObject({ code: 'cancelled' });
    expect(rendered).toBe(1);
  });

  it('tells its elements', async () => {
    const control = new AbortController();
    const seen: (boolean | undefined)[] = [];
    const Part = (
      _props: object,
      _sizing: unknown,
      _progress: unknown,
      token?: { isCancellationRequested: boolean },
    ) => {
      seen.push(token?.isCancellationRequested);
      return h(UserMessage, {}, 'x');
    };
    await render({ element: h(Part, {}), budget: 100, tokenizer: characters, signal: control.signal });
    expect(seen).toEqual([false]);
  });
});
