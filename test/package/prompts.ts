/** The part of VS Code's API that prompts meet, as its own declarations have it: there is no package of it here. */
export const vscode = `
declare module 'vscode' {
  export interface CancellationToken { isCancellationRequested: boolean; onCancellationRequested: unknown }
  export interface Progress<T> { report(value: T): void }
  export class ChatResponseProgressPart { value: string; constructor(value: string) }
  export type ChatResponsePart = ChatResponseProgressPart;
  export class Uri {
    static file(path: string): Uri;
    private constructor(scheme: string, authority: string, path: string, query: string, fragment: string);
    readonly scheme: string;
    readonly authority: string;
    readonly path: string;
    readonly query: string;
    readonly fragment: string;
    readonly fsPath: string;
    with(change: { scheme?: string; authority?: string; path?: string; query?: string; fragment?: string }): Uri;
    toString(skipEncoding?: boolean): string;
    toJSON(): any;
  }
  export class Range { readonly start: number; readonly end: number }
  export class Location { uri: Uri; range: Range; constructor(uri: Uri, range: Range) }
  export class ThemeIcon { readonly id: string; constructor(id: string) }
  export class MarkdownString { value: string }
  export interface Command { title: string; command: string }
  export type ProviderResult<T> = T | undefined | null | Thenable<T | undefined | null>;
  export class LanguageModelTextPart { value: string; constructor(value: string) }
  export class LanguageModelDataPart { mimeType: string; data: Uint8Array; constructor(data: Uint8Array, mimeType: string) }
  export class LanguageModelToolCallPart {
    callId: string;
    name: string;
    input: object;
    constructor(callId: string, name: string, input: object);
  }
  export class LanguageModelToolResultPart {
    callId: string;
    content: Array<LanguageModelTextPart | LanguageModelDataPart | unknown>;
    constructor(callId: string, content: Array<LanguageModelTextPart | LanguageModelDataPart | unknown>);
  }
  export type LanguageModelInputPart =
    | LanguageModelTextPart
    | LanguageModelToolResultPart
    | LanguageModelToolCallPart
    | LanguageModelDataPart;
  export enum LanguageModelChatMessageRole { User = 1, Assistant = 2 }
  export class LanguageModelChatMessage {
    static User(content: string | LanguageModelInputPart[], name?: string): LanguageModelChatMessage;
    static Assistant(content: string | LanguageModelInputPart[], name?: string): LanguageModelChatMessage;
    role: LanguageModelChatMessageRole;
    content: LanguageModelInputPart[];
    name: string | undefined;
    constructor(role: LanguageModelChatMessageRole, content: string | LanguageModelInputPart[], name?: string);
  }
  export interface LanguageModelChat {
    readonly name: string;
    readonly maxInputTokens: number;
    sendRequest(messages: LanguageModelChatMessage[], options?: object, token?: CancellationToken): Thenable<unknown>;
    countTokens(text: string | LanguageModelChatMessage, token?: CancellationToken): Thenable<number>;
  }
  export interface LanguageModelToolInvocationOptions {
    tokenBudget: number;
    countTokens(text: string, token?: CancellationToken): Thenable<number>;
  }
}
interface Thenable<T> extends PromiseLike<T> {}
`;

/** A prompt of an extension, with the ways in which its code names what the package exports. */
export const extension = `
import * as vscode from 'vscode';
import {
  AssistantMessage, BaseChatMessage, BasePromptElementProps, ChatMessageProps, ChatResponseReferencePartStatusKind, Chunk,
  contentType, Document, Expandable, HTMLTracer, IfEmpty, Image, ITokenizer, ITraceData, ITraceEpoch, ITracer, JSONTree,
  LegacyPrioritization, LogicalWrapper, MetadataMap, ModeToChatMessageType, OpenAI, PrioritizedList, PromptPieceChild, TokenLimit, OutputMode, PromptElement, PromptElementCtor, PromptElementProps, PromptMetadata, PromptPiece,
  PromptReference, PromptRenderer, PromptSizing, QueueItem, Raw, renderElementJSON, renderPrompt, RenderPromptResult,
  SystemMessage, TextChunk, toMode, ToolCall, ToolMessage, toOpenAI, toVSCode, useKeepWith, UserMessage,
} from '@vscode/prompt-tsx';

export class Service { readonly label = 'service' }

export class Seen extends PromptMetadata {
  constructor(readonly label: string) { super() }
}

export interface Props extends BasePromptElementProps { question: string; files: vscode.Uri[] }

export class A extends PromptElement<Props, string[]> {
  constructor(props: PromptElementProps<Props>, private readonly service: Service) { super(props) }

  override async prepare(
    sizing: PromptSizing, progress?: vscode.Progress<vscode.ChatResponsePart>, token?: vscode.CancellationToken,
  ): Promise<string[]> {
    progress?.report(new vscode.ChatResponseProgressPart('Reading'));
    const tokens = await sizing.countTokens(this.props.question, token);
    return [String(tokens)];
  }

  render(lines: string[], sizing: PromptSizing): PromptPiece<any, any> {
    const KeepWith = useKeepWith();
    const calls: ToolCall[] = [{ id: '1', type: 'function', function: { name: 'read', arguments: '{}' }, keepWith: KeepWith }];
    const kind: ChatResponseReferencePartStatusKind.Complete = ChatResponseReferencePartStatusKind.Complete;
    const options = { status: { description: 'whole', kind } };
    const location = new vscode.Location(this.props.files[0]!, new vscode.Range());
    return (
      <>
        <SystemMessage priority={sizing.tokenBudget}>
          {this.service.label}
          <br />
          <meta value={new Seen('a')} local />
          <cacheBreakpoint type="ephemeral" />
        </SystemMessage>
        <AssistantMessage toolCalls={calls}>{lines.map((line) => <TextChunk>{line}</TextChunk>)}</AssistantMessage>
        <KeepWith>
          <ToolMessage toolCallId="1">
            <opaque value={{ a: 1 }} tokenUsage={3} />
          </ToolMessage>
        </KeepWith>
        <UserMessage flexGrow={1} flexReserve="/3">
          <references value={[new PromptReference(location, undefined, options), new PromptReference({ variableName: 'x' })]} />
          {this.props.children}
          {this.props.question && <TextChunk breakOn={/ /g}>{this.props.question}</TextChunk>}
        </UserMessage>
      </>
    );
  }
}

/** Gives every element the service. */
export class Injecting<P extends BasePromptElementProps> extends PromptRenderer<P, OutputMode.Raw> {
  constructor(ctor: PromptElementCtor<P, any>, props: P, private readonly service: Service) {
    super({ modelMaxPromptTokens: 100 }, ctor, props, tokenizer);
    this.tracer = new HTMLTracer();
  }

  protected override createElement(item: QueueItem<PromptElementCtor<P, any>, P>): PromptElement<P, any> {
    return new item.ctor(item.props, this.service);
  }
}

export class Spreading<P extends BasePromptElementProps> extends PromptRenderer<P, OutputMode.Raw> {
  protected override createElement(element: QueueItem<PromptElementCtor<P, any>, P>) {
    const names = element.path.map((each) => (typeof each === 'string' ? each : each.name));
    return super.createElement({ ...element, props: { ...element.props, flexBasis: names.length } });
  }
}

export const tokenizer: ITokenizer<OutputMode.Raw> = {
  mode: OutputMode.Raw,
  tokenLength(part: Raw.ChatCompletionContentPart) {
    return part.type === Raw.ChatCompletionContentPartKind.Text ? part.text.length : 0;
  },
  countMessageTokens: (message: Raw.ChatMessage) => message.content.length,
};

export class ModelTokenizer implements ITokenizer<OutputMode.VSCode> {
  readonly mode = OutputMode.VSCode;
  constructor(private readonly model: vscode.LanguageModelChat) {}
  async tokenLength(part: Raw.ChatCompletionContentPart, token?: vscode.CancellationToken): Promise<number> {
    return part.type === Raw.ChatCompletionContentPartKind.Text ? this.model.countTokens(part.text, token) : 0;
  }
  async countMessageTokens(message: vscode.LanguageModelChatMessage): Promise<number> {
    return this.model.countTokens(message);
  }
}

export async function main(model: vscode.LanguageModelChat, options: vscode.LanguageModelToolInvocationOptions) {
  const ep = { modelMaxPromptTokens: model.maxInputTokens };
  const p: Props = { question: 'Why?', files: [] };
  const raw: Raw.ChatMessage[] = [{ role: Raw.ChatRole.User, content: [] }];
  await model.sendRequest((await renderPrompt(A, p, ep, model)).messages);
  await model.sendRequest((await renderPrompt(A, p, ep, new ModelTokenizer(model))).messages);
  await model.sendRequest(toVSCode(raw));
  await model.sendRequest([toMode(OutputMode.VSCode, raw[0]!), vscode.LanguageModelChatMessage.User('Hi')]);

  const { messages } = await renderPrompt(A, p, ep, model);
  messages.push(vscode.LanguageModelChatMessage.User('And?'));
  const texts = messages.flatMap(({ content }) => content.filter((part) => part instanceof vscode.LanguageModelTextPart));
  const isUser: boolean = messages[0]!.role === vscode.LanguageModelChatMessageRole.User;

  const inRaw = await renderPrompt(A, p, ep, tokenizer);
  const content: Raw.ChatCompletionContentPart[] = inRaw.messages[0]!.content;

  const renderer = new Injecting(A, p, new Service());
  const result: RenderPromptResult<OutputMode.Raw> = await renderer.render();
  const seen: string | undefined = result.metadata.get(Seen)?.label;
  const path: string = renderer.getIgnoredFiles()[0].fsPath;
  const anyMode: PromptRenderer<Props, OutputMode.OpenAI> | PromptRenderer<Props, OutputMode> = renderer;

  const json: JSONTree.PromptElementJSON = await renderElementJSON(A, p, options);
  JSONTree.forEachNode(json.node, (node) => {
    if (node.type === JSONTree.PromptNodeType.Text) return textOf(node);
  });
  const toolResult = { [contentType]: json };
  const named: OpenAI.ChatRole.System | undefined = undefined;
  const spoken: OpenAI.ChatMessage[] = toOpenAI(raw);
  return [texts, isUser, content, seen, path, anyMode, toolResult, named, spoken, MetadataMap.empty, MetadataMap.from([])];
}

export function ranked(piece: PromptPiece, fallback: PromptPiece<Props>): number {
  piece.props.priority ??= fallback.props.priority;
  return piece.props.priority ?? (<br />).props.priority;
}

/** The other elements, with the props they are given in classes and functions of an extension. */
export class Tag extends PromptElement<PromptElementProps<{ name: string }>> {
  render() {
    const { name, children } = this.props;
    return <>{'<' + name + '>'}{children}{'</' + name + '>'}</>;
  }
}

export class Items<T extends string> extends PromptElement<BasePromptElementProps & { items: T[] }> {
  async render(_: void, sizing: PromptSizing) {
    return (
      <PrioritizedList priority={sizing.tokenBudget} descending={false}>
        {this.props.items.map((item, index) => <Tag name={item} priority={index}>{item}</Tag>)}
        <TokenLimit max={20}><Chunk>a</Chunk></TokenLimit>
        <IfEmpty alt={<UserMessage>alt</UserMessage>}>x</IfEmpty>
        <Expandable value={async (sizing) => 'a'.repeat(await sizing.countTokens('a'))} />
        <LegacyPrioritization><LogicalWrapper>a</LogicalWrapper></LegacyPrioritization>
        <UserMessage name="bob"><Image src="x" detail="low" /><Document data="" mediaType="application/pdf" /></UserMessage>
        <BaseChatMessage role={Raw.ChatRole.User}>a</BaseChatMessage>
        <usedContext value={[{ uri: vscode.Uri.file(''), version: 1, ranges: [] }]} />
      </PrioritizedList>
    );
  }
}
export const items = <Items<'a'> items={['a']} />;

export class Loose extends PromptElement<any, any> {
  override prepare(): Promise<any> { return Promise.resolve(1) }
  render(state: any) {
    if (!state) return;
    return <UserMessage>{state.x}{this.props.whatever}</UserMessage>;
  }
}
export const loose: PromptPiece[] = [<Loose foo={1} bar="x">text</Loose>];
export const children: PromptPieceChild[] = [<br />, 'a', 1, undefined];

export class Role extends BaseChatMessage<ChatMessageProps & { x?: number }> {
  constructor(props: PromptElementProps<ChatMessageProps & { x?: number }>) {
    props.role = Raw.ChatRole.User;
    super(props);
  }
}

export const tracer: ITracer = {
  addRenderEpoch: (epoch: ITraceEpoch) => epoch.elements.map(({ id }) => id),
  didMaterializeTree(data: ITraceData) { data.renderTree(1).then(({ removed }) => removed) },
};

export async function inModeOf<T extends OutputMode>(
  tokenizer: ITokenizer<T>, ctor: PromptElementCtor<any, any>,
): Promise<ModeToChatMessageType[T][]> {
  const renderer = new PromptRenderer({ modelMaxPromptTokens: 1 }, ctor, {}, tokenizer);
  return (await renderer.render({ report() {} }, undefined)).messages;
}

export const roles: Record<Raw.ChatRole, string> = {
  [Raw.ChatRole.System]: 's',
  [Raw.ChatRole.User]: 'u',
  [Raw.ChatRole.Assistant]: 'a',
  [Raw.ChatRole.Tool]: 't',
};
export const modes: Record<keyof typeof OutputMode, number> = { Raw: 1, OpenAI: 2, VSCode: 4 };
export const calledBy = (m: Raw.ChatMessage) => (m.role === Raw.ChatRole.Tool ? m.toolCallId : undefined);

function textOf(node: JSONTree.TextJSON): string {
  const type: JSONTree.PromptNodeType.Text = node.type;
  return type + node.text;
}

const role: Raw.ChatRole.User = Raw.ChatRole.User;
export const names: string[] = [
  Raw.ChatRole[role],
  Raw.ChatRole.display(role),
  Raw.ChatCompletionContentPartKind[Raw.ChatCompletionContentPartKind.Text],
  OutputMode[OutputMode.VSCode],
  ChatResponseReferencePartStatusKind[ChatResponseReferencePartStatusKind.Partial],
];

export function nameOf(role: Raw.ChatRole, mode: OutputMode, kind: Raw.ChatCompletionContentPart['type'], code: number): string {
  switch (role) {
    case Raw.ChatRole.System:
    case Raw.ChatRole.User:
      return Raw.ChatRole[role];
    default:
      return OutputMode[mode] + Raw.ChatCompletionContentPartKind[kind] + Raw.ChatRole[code];
  }
}
`;
