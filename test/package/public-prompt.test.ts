import {
  BudgetExceededError,
  createPromptTokenizer,
  Document,
  Fragment,
  h,
  IfEmpty,
  Image,
  PromptElement,
  PromptMetadata,
  render,
  renderJSON,
  ToolMessage,
  ToolResult,
  UserMessage,
} from 'longhaul/prompt';
import { createTokenizer } from 'longhaul/tokens';
import { expect, it } from 'vitest';

class Mentioned extends PromptMetadata {
  readonly file: string;

  constructor(file: string) {
    super();
    this.file = file;
  }
}

class Question extends PromptElement<{ text: string } & { priority?: number }> {
  render() {
    return h(UserMessage, {}, h('meta', { value: new Mentioned('a.ts') }), this.props.text);
  }
}

const { count } = await createTokenizer('o200k_base');
const tokenizer = createPromptTokenizer({ count });

it('renders classes, media, tool results and alternatives, and finds metadata in the result', async () => {
  const element = h(
    Fragment,
    null,
    h(Question, { text: 'What is in the picture?' }),
    h(UserMessage, {}, h(Image, { src: 'https://example.com/a.png', mimeType: 'image/png' })),
    h(UserMessage, {}, h(Document, { data: 'JVBERi0=', mediaType: 'application/pdf' })),
    h(ToolMessage, { toolCallId: '1' }, h(ToolResult, { data: { content: [{ value: '42 lines' }] } })),
    h(IfEmpty, { alt: h(UserMessage, {}, 'nothing was found') }, h(UserMessage, {}, '')),
  );
  const { messages, metadata } = await render({ element, budget: 10_000, tokenizer });
  const text = JSON.stringify(messages);
  for (const part of ['What is in the picture?', 'example.com', '42 lines', 'nothing was found'])
    expect(text).toContain(part);
  expect(metadata.get(Mentioned)?.file).toBe('a.ts');
});

it('throws what does not fit, and renders to JSON for another prompt', async () => {
  const element = h(UserMessage, {}, 'A long story. '.repeat(500));
  await expect(render({ element, budget: 10, tokenizer })).rejects.toBeInstanceOf(BudgetExceededError);
  const data = await renderJSON({ element: h(UserMessage, {}, 'One line.'), budget: 100, tokenizer });
  expect(JSON.stringify(data)).toContain('One line.');
});
