/** @jsxImportSource longhaul/prompt/compat */
import {
  type BasePromptElementProps,
  Expandable,
  PrioritizedList,
  PromptElement,
  type PromptSizing,
  SystemMessage,
  TokenLimit,
  UserMessage,
} from 'longhaul/prompt/compat';

// As it is written for @vscode/prompt-tsx: classes with `prepare`, the old names, the old rules. Only the import is another.
//
//   longhaul prompt render examples/prompts/classic.tsx --budget 200

interface Props extends BasePromptElementProps {
  readonly query: string;
}

export const props: Props = { query: 'How do I leave vim?' };

class Answers extends PromptElement<BasePromptElementProps, readonly string[]> {
  override async prepare(): Promise<readonly string[]> {
    return ['Press Escape.', 'Type :q and Enter.', 'Type :q! to lose what you changed.', 'Turn the machine off.'];
  }

  override render(answers: readonly string[]) {
    return (
      <UserMessage priority={this.priority}>
        What others said:
        <br />
        <PrioritizedList priority={10} descending={true}>
          {answers.map((answer) => `- ${answer}\n`)}
        </PrioritizedList>
      </UserMessage>
    );
  }
}

class ClassicPrompt extends PromptElement<Props> {
  override render() {
    return (
      <>
        <SystemMessage priority={1000}>Answer in one sentence.</SystemMessage>
        <TokenLimit max={40} priority={5}>
          <Answers />
        </TokenLimit>
        <UserMessage priority={900}>
          {this.props.query}
          <Expandable value={filling} />
        </UserMessage>
      </>
    );
  }
}

export const prompt = ClassicPrompt;

/** Says how much room there is: it is asked again when everything else is known. */
function filling({ tokenBudget }: PromptSizing): string {
  return tokenBudget > 60 ? ' There is room: tell it at length.' : '';
}
