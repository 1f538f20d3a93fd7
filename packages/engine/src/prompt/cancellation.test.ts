import { describe, expect, it } from 'vitest';
import { characters } from './fixtures.fixture.ts';
import { Expandable, h, render, renderJSON, UserMessage } from './index.ts';

describe('a canceled render', () => {
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

  it.each([
    ['a message', () => h(UserMessage, {}, 'x')],
    ['nothing', () => undefined],
  ])('also stops when the last element renders %s', async (_name, rendered) => {
    const control = new AbortController();
    const Last = async () => {
      control.abort();
      return rendered();
    };
    const input = { element: h(Last, {}), budget: 100, tokenizer: characters, signal: control.signal };
    await expect(render(input)).rejects.toMatchObject({ code: 'cancelled' });
    await expect(renderJSON(input)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('stops when it is canceled while an element grows', async () => {
    const control = new AbortController();
    let calls = 0;
    const value = () => {
      calls += 1;
      if (calls === 2) control.abort();
      return 'x'.repeat(calls);
    };
    const element = h(UserMessage, {}, h(Expandable, { value }));
    const grown = render({ element, budget: 100, tokenizer: characters, signal: control.signal });
    await expect(grown).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('passes the token to its elements', async () => {
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
