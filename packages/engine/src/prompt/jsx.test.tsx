/** @jsxImportSource longhaul/prompt */
import { describe, expect, it } from 'vitest';
import { characters, textsOf } from './fixtures.fixture.ts';
import {
  AssistantMessage,
  PrioritizedList,
  PromptElement,
  type PromptSizing,
  render,
  SystemMessage,
  TextChunk,
  UserMessage,
} from './index.ts';

interface HistoryProps {
  turns: readonly string[];
}

class History extends PromptElement<HistoryProps> {
  override render() {
    return (
      <PrioritizedList priority={10} descending={false}>
        {this.props.turns.map((turn, index) =>
          index % 2 === 0 ? <UserMessage>{turn}</UserMessage> : <AssistantMessage>{turn}</AssistantMessage>,
        )}
      </PrioritizedList>
    );
  }
}

function Question({ text, urgent }: { text: string; urgent?: boolean }, sizing: PromptSizing) {
  return (
    <UserMessage priority={100}>
      {urgent && 'Now: '}
      {text}
      <br />
      <TextChunk>{sizing.tokenBudget > 0 ? 'room' : null}</TextChunk>
    </UserMessage>
  );
}

const prompt = (
  <>
    <SystemMessage priority={1000}>Be brief.</SystemMessage>
    <History turns={['one', 'two', 'three']} priority={5} flexGrow={1} />
    <Question text="why?" urgent />
  </>
);

describe('JSX with the automatic runtime', () => {
  it('renders classes, functions, fragments and lists', async () => {
    const { messages } = await render({ element: prompt, budget: 200, tokenizer: characters });
    expect(textsOf(messages)).toEqual(['Be brief.', 'one', 'two', 'three', 'Now: why?\nroom']);
  });

  it('prunes the oldest of a list first', async () => {
    const { messages } = await render({ element: prompt, budget: 43, tokenizer: characters });
    expect(textsOf(messages)).toEqual(['Be brief.', 'two', 'three', 'Now: why?\nroom']);
  });

  it('is typed: required props cannot be omitted', () => {
    // @ts-expect-error turns is missing
    const without = <History />;
    // @ts-expect-error there is no such intrinsic
    const unknown = <bold />;
    // @ts-expect-error a priority is a number
    const wrong = <UserMessage priority="high">x</UserMessage>;
    expect([without, unknown, wrong]).toHaveLength(3);
  });
});
