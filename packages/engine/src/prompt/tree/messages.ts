import { lineBreaks } from '../layout/content.ts';
import { rawMessage } from '../layout/message.ts';
import * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import { type Branch, isBranch, type Leaf, type MessageFacts, type TreeNode } from './node.ts';

/** The non-empty messages of a tree, in order. */
export function messagesOf(branch: Branch): Raw.ChatMessage[] {
  const messages: Raw.ChatMessage[] = [];
  forEachMessage(branch, (message) => {
    if (!message.isEmpty) messages.push(messageOf(message));
  });
  return messages;
}

/** Visits the messages of a tree in order. Outside of messages only containers are allowed. */
export function forEachMessage(branch: Branch, visit: (message: Branch) => void): void {
  for (let child = branch.first; child; child = child.next) {
    if (!isBranch(child)) throw new Error(`Cannot have a text node outside a ChatMessage. Text: "${textIn(child)}"`);
    if (child.message) visit(child);
    else forEachMessage(child, visit);
  }
}

function textIn(node: TreeNode): string | undefined {
  return (node as Leaf).text;
}

/** The content of a message, cached until it changes. */
export function contentOf(branch: Branch): Raw.ChatCompletionContentPart[] {
  const { message } = branch;
  if (!message) return [];
  message.content ??= assemble(branch, message);
  return message.content;
}

/** A message as it is sent. */
export function messageOf(branch: Branch): Raw.ChatMessage {
  const content = contentOf(branch);
  return withContent(branch, content.some(isOpaque) ? content.map(outPart) : content);
}

function isOpaque(part: Raw.ChatCompletionContentPart): boolean {
  return part.type === Raw.ChatCompletionContentPartKind.Opaque;
}

/** A message with empty texts and without images and documents: its base cost. */
export function emptiedMessageOf(branch: Branch): Raw.ChatMessage {
  const content = contentOf(branch).flatMap((part): Raw.ChatCompletionContentPart[] => {
    if (part.type === Raw.ChatCompletionContentPartKind.Text) return [{ type: part.type, text: '' }];
    const isLeftOut =
      part.type === Raw.ChatCompletionContentPartKind.Image || part.type === Raw.ChatCompletionContentPartKind.Document;
    return isLeftOut ? [] : [outPart(part)];
  });
  return withContent(branch, content);
}

/** The declared usage of an opaque part is not sent. */
function outPart(part: Raw.ChatCompletionContentPart): Raw.ChatCompletionContentPart {
  if (part.type !== Raw.ChatCompletionContentPartKind.Opaque) return part;
  return { type: part.type, value: part.value, ...(part.scope !== undefined && { scope: part.scope }) };
}

export function withContent(branch: Branch, content: Raw.ChatCompletionContentPart[]): Raw.ChatMessage {
  const { role, toolCalls } = branch.message as MessageFacts;
  return rawMessage(branch.source, role, toolCalls, content);
}

/** The only child of a message, if it is a text. */
export function soleText({ first, last }: Branch, facts: MessageFacts): Leaf | undefined {
  if (facts.sole || first !== last || !first || isBranch(first)) return facts.sole;
  if ((first as Leaf).text !== undefined) facts.sole = first as Leaf;
  return facts.sole;
}

function assemble(branch: Branch, facts: MessageFacts): Raw.ChatCompletionContentPart[] {
  const sole = soleText(branch, facts);
  if (sole) return [{ type: Raw.ChatCompletionContentPartKind.Text, text: sole.text ?? '' }];
  const assembly = new Assembly();
  assembly.join(branch, false);
  facts.sole = assembly.texts === 1 ? assembly.lastText : undefined;
  return assembly.content ?? [];
}

/** A message during assembly. */
class Assembly {
  /** Created with its first part, since most messages have only one and a growing list overallocates. */
  content: Raw.ChatCompletionContentPart[] | undefined = undefined;
  texts = 0;
  lastText: Leaf | undefined = undefined;
  /**
   * Whether the text so far ends with a line break; tracked per piece, since checking the whole would copy it each
   * time.
   */
  #endsLine = false;

  join(branch: Branch, afterText: boolean): void {
    let isTextSibling = afterText;
    for (let child = branch.first; child; child = child.next) {
      if (isBranch(child)) {
        this.join(child, isTextSibling);
        isTextSibling = false;
        continue;
      }
      const leaf = child as Leaf;
      if (leaf.other) this.#addOther(leaf.other);
      else this.#addText(leaf, isTextSibling);
      if (leaf.text !== undefined) isTextSibling = true;
    }
  }

  #addOther(other: NonNullable<Leaf['other']>): void {
    const { content } = this;
    // Of consecutive breakpoints the last one counts.
    const isRepeated =
      other.type === Raw.ChatCompletionContentPartKind.CacheBreakpoint && content?.at(-1)?.type === other.type;
    if (content && isRepeated) content[content.length - 1] = other;
    else this.#push(other);
  }

  #addText(leaf: Leaf, isTextSibling: boolean): void {
    const { text = '', lineBreak } = leaf;
    this.texts += 1;
    this.lastText = leaf;
    const last = this.content?.at(-1);
    if (last?.type !== Raw.ChatCompletionContentPartKind.Text) {
      this.#push({ type: Raw.ChatCompletionContentPartKind.Text, text });
      this.#endsLine = text.endsWith('\n');
      return;
    }
    const breaks = lineBreak === lineBreaks.always || (lineBreak === lineBreaks.ifNotTextSibling && !isTextSibling);
    const isBroken = breaks && last.text && !this.#endsLine;
    last.text += isBroken ? `\n${text}` : text;
    if (isBroken || text) this.#endsLine = text ? text.endsWith('\n') : true;
  }

  #push(part: Raw.ChatCompletionContentPart): void {
    if (this.content) this.content.push(part);
    else this.content = [part];
  }
}

/** The metadata of a tree, parents before children. */
export function metadataOf(branch: Branch): PromptMetadata[] {
  const into: PromptMetadata[] = [];
  gather(branch, into);
  return into;
}

function gather(node: TreeNode, into: PromptMetadata[]): void {
  for (const each of node.metadata) into.push(each);
  if (isBranch(node)) for (let child = node.first; child; child = child.next) gather(child, into);
}
