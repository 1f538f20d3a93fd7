import type { CancellationToken, IChatEndpointInfo, Progress } from '../element.ts';
import type { PromptElementJSON } from '../json-tree.ts';
import { OutputMode } from '../output/mode.ts';
import * as Raw from '../output/raw.ts';
import type { RenderPromptResult } from '../renderer.ts';
import type { ChatDocumentContext } from '../results/reference.ts';
import type { ITokenizer } from '../tokenizer.ts';
import type { PromptElementCtor } from './piece.ts';
import { PromptRenderer } from './prompt-renderer.ts';

/**
 * Content type of the JSON form of an element.
 *
 * @example
 * const result = { [contentType]: await renderElementJSON(Files, { paths: ['a.ts'] }, undefined) };
 */
export const contentType = 'application/vnd.codechat.prompt+json.1';

/** The token counting part of a VS Code model. */
export interface CountingModel {
  countTokens(text: never, token?: CancellationToken): PromiseLike<number>;
}

/** Result of `renderPrompt`. */
type Rendered<M extends OutputMode> = RenderPromptResult<M> & { usedContext: ChatDocumentContext[] };

/**
 * Renders an element to messages that fit the endpoint.
 *
 * @example
 * const { messages } = await renderPrompt(Question, { question: 'Why?' }, { modelMaxPromptTokens: 8000 }, tokenizer);
 */
export function renderPrompt<P>(
  ctor: PromptElementCtor<P, unknown>,
  props: P,
  endpoint: IChatEndpointInfo,
  tokenizerMetadata: ITokenizer<OutputMode.VSCode> | CountingModel,
  progress?: Progress,
  token?: CancellationToken,
  mode?: OutputMode.VSCode,
): Promise<Rendered<OutputMode.VSCode>>;
export function renderPrompt<P, M extends OutputMode>(
  ctor: PromptElementCtor<P, unknown>,
  props: P,
  endpoint: IChatEndpointInfo,
  tokenizerMetadata: ITokenizer<M>,
  progress?: Progress,
  token?: CancellationToken,
): Promise<Rendered<M>>;
export async function renderPrompt<P, M extends OutputMode>(
  ctor: PromptElementCtor<P, unknown>,
  props: P,
  endpoint: IChatEndpointInfo,
  tokenizerMetadata: ITokenizer<M> | CountingModel,
  progress?: Progress,
  token?: CancellationToken,
  mode: OutputMode = OutputMode.VSCode,
): Promise<Rendered<M>> {
  const tokenizer =
    'countTokens' in tokenizerMetadata
      ? (modelTokenizer(tokenizerMetadata, mode) as unknown as ITokenizer<M>)
      : tokenizerMetadata;
  const renderer = new PromptRenderer(endpoint, ctor, props, tokenizer);
  const result = await renderer.render(progress, token);
  return { ...result, usedContext: renderer.getUsedContext() };
}

/** A VS Code model can only count VS Code messages. */
function modelTokenizer(model: CountingModel, mode: OutputMode): ITokenizer<OutputMode.VSCode> {
  if (mode !== OutputMode.VSCode)
    throw new Error('`mode` must be set to vscode when using vscode.LanguageModelChat as the tokenizer');
  const count = (text: unknown, token?: CancellationToken) => Promise.resolve(model.countTokens(text as never, token));
  return {
    mode: OutputMode.VSCode,
    tokenLength: (part, token) =>
      part.type === Raw.ChatCompletionContentPartKind.Text ? count(part.text, token) : Promise.resolve(0),
    countMessageTokens: (message) => count(message),
  };
}

/**
 * Renders an element to JSON, to be embedded in another prompt. The budget is a hint; nothing is pruned.
 *
 * @example
 * const json = await renderElementJSON(Files, { paths: ['a.ts'] }, undefined);
 */
export function renderElementJSON<P>(
  ctor: PromptElementCtor<P, unknown>,
  props: P,
  budgetInformation:
    | { tokenBudget: number; countTokens(text: string, token?: CancellationToken): PromiseLike<number> }
    | undefined,
  token?: CancellationToken,
): Promise<PromptElementJSON> {
  const endpoint = { modelMaxPromptTokens: budgetInformation?.tokenBudget ?? Number.MAX_SAFE_INTEGER };
  const tokenizer: ITokenizer<OutputMode.Raw> = {
    mode: OutputMode.Raw,
    countMessageTokens() {
      throw new Error('Tools may only return text, not messages.');
    },
    tokenLength(part, cancellation) {
      if (part.type !== Raw.ChatCompletionContentPartKind.Text) return 1;
      const tokens = budgetInformation?.countTokens(part.text, cancellation);
      return tokens === undefined ? 1 : Promise.resolve(tokens);
    },
  };
  return new PromptRenderer(endpoint, ctor, props, tokenizer).renderElementJSON(token);
}
