import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import * as ours from '../compat.ts';
import { characters } from '../fixtures.fixture.ts';

// Not imported: both declare the globals of classic JSX.
const theirs = createRequire(import.meta.url)('@vscode/prompt-tsx') as typeof ours;
const endpoint = { modelMaxPromptTokens: 100 };

/** Both packages with one type: code written for one must run with the other. */
const packages = [
  { name: 'prompt-tsx', library: theirs },
  { name: 'compat', library: ours },
];

describe.each(packages)('a renderer of $name that creates elements itself', ({ library }) => {
  const { PromptElement, PromptRenderer, TextChunk, UserMessage } = library;
  type Item = ours.QueueItem<ours.PromptElementCtor<object, unknown>, object & ours.BasePromptElementProps>;

  class Prompt extends PromptElement {
    readonly service: string | undefined;

    constructor(props: object, service?: string) {
      super(props);
      this.service = service;
    }

    override render() {
      const text = ours.vscpp(TextChunk, null, String(this.service));
      return ours.vscpp(UserMessage, null, text);
    }
  }

  it('may pass more than props', async () => {
    class Injecting extends PromptRenderer<object, 1> {
      protected override createElement(item: Item) {
        return new item.ctor(item.props, 'a service');
      }
    }
    const { messages } = await new Injecting(endpoint, Prompt, {}, characters).render();
    expect(messages[0]?.content).toEqual([{ type: 1, text: 'a service' }]);
  });

  it('may copy its input', async () => {
    const depths: number[] = [];
    const members = new Set<string>();
    class Copying extends PromptRenderer<object, 1> {
      protected override createElement(item: Item) {
        const copy = { ...item };
        depths.push(copy.path.length);
        for (const name of ['path', 'node', 'ctor', 'props', 'children'] as const) if (copy[name]) members.add(name);
        return super.createElement(copy);
      }
    }
    await new Copying(endpoint, Prompt, {}, characters).render();
    expect(depths).toEqual([1, 2, 3]);
    expect([...members]).toEqual(['path', 'node', 'ctor', 'props', 'children']);
  });

  it('may give an item other props', async () => {
    const shares: number[][] = [];
    class Growing extends PromptRenderer<object, 1> {
      protected override createElement(item: Item) {
        if (item.path.length === 2) item.props = { ...item.props, flexGrow: 3 };
        return super.createElement(item);
      }
    }
    const renderer = new Growing(endpoint, Prompt, {}, characters);
    renderer.tracer = { addRenderEpoch: ({ flexValue, tokenBudget }) => shares.push([flexValue, tokenBudget]) };
    await renderer.render();
    expect(shares.map(([flexValue]) => flexValue)).toEqual([0, 3, 0]);
  });
});

describe('differences of compat', () => {
  const messagesOf = ({ PromptElement, PromptRenderer, UserMessage }: typeof ours) => {
    class Changed extends UserMessage {
      constructor(props: ours.PromptElementProps<ours.ChatMessageProps>) {
        super(props);
        props.role = ours.Raw.ChatRole.Assistant;
      }
    }
    const props: ours.ChatMessageProps = {};
    class Prompt extends PromptElement {
      override render() {
        return ours.vscpp(ours.vscppf, null, ours.vscpp(Changed, null, 'a'), ours.vscpp(UserMessage, props, 'b'));
      }
    }
    const renderer = new PromptRenderer(endpoint, Prompt, {}, characters);
    return { props, render: async () => (await renderer.render()).messages.map(({ role }) => role) };
  };

  it('writes no role to props, and reads none from them if the class has one', async () => {
    const [before, after] = [messagesOf(theirs), messagesOf(ours)];
    expect([await before.render(), before.props.role]).toEqual([[2, 1], 1]);
    expect([await after.render(), after.props.role]).toEqual([[1, 1], undefined]);
  });

  it('renders the same twice', async () => {
    const [before, after] = [messagesOf(theirs), messagesOf(ours)];
    expect([...(await before.render()), ...(await before.render())]).toHaveLength(2 + 4);
    expect([...(await after.render()), ...(await after.render())]).toHaveLength(2 + 2);
  });
});

describe('the enums of prompt-tsx', () => {
  it.each([
    { name: 'OutputMode', of: (library: typeof ours) => library.OutputMode },
    { name: 'ChatResponseReferencePartStatusKind', of: (library) => library.ChatResponseReferencePartStatusKind },
    { name: 'Raw.ChatRole', of: (library) => library.Raw.ChatRole },
    { name: 'Raw.ChatCompletionContentPartKind', of: (library) => library.Raw.ChatCompletionContentPartKind },
    { name: 'OpenAI.ChatRole', of: (library) => library.OpenAI.ChatRole },
  ] satisfies { name: string; of: (library: typeof ours) => object }[])(
    '$name has the same names and numbers',
    ({ of }) => {
      const [expected, actual] = packages.map(({ library }) => JSON.stringify(of(library)));
      expect(actual).toBe(expected);
    },
  );
});
