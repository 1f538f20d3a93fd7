import type { PromptCounter } from '../count/counter.ts';
import { lineBreaks } from '../layout/content.ts';
import { isPending, type Maybe } from '../maybe-promise.ts';
import * as Raw from '../output/raw.ts';
import type { RenderRules } from '../rules.ts';
import { contentOf, emptiedMessageOf, messageOf, soleText, withContent } from './messages.ts';
import { type Branch, isBranch, type Leaf, type MessageFacts, type TreeNode } from './node.ts';

/** Counts nodes of a tree and caches the counts until they change. */
export class TreeCounts {
  readonly #counter: PromptCounter;
  readonly #rules: RenderRules;

  constructor({ counter, rules }: { readonly counter: PromptCounter; readonly rules: RenderRules }) {
    this.#counter = counter;
    this.#rules = rules;
  }

  /** Whether a message can be counted without assembling it. */
  isPlain(branch: Branch): boolean {
    return this.#counter.isAdditive && soleText(branch, branch.message as MessageFacts) !== undefined;
  }

  /** A message as it would be sent. */
  exact(branch: Branch): Maybe<number> {
    if (this.#rules.countsOnlySent && branch.isEmpty) return 0;
    const facts = branch.message as MessageFacts;
    if (facts.exact !== undefined) return facts.exact;
    const tokens = this.#exact(branch, facts);
    if (isPending(tokens)) return tokens.then((answer) => (facts.exact = answer));
    facts.exact = tokens;
    return tokens;
  }

  /** A message without its texts, images and documents. */
  base(branch: Branch): Maybe<number> {
    const facts = branch.message as MessageFacts;
    if (facts.base !== undefined) return facts.base;
    const tokens = this.#base(branch, facts);
    if (isPending(tokens)) return tokens.then((answer) => (facts.base = answer));
    facts.base = tokens;
    return tokens;
  }

  /** Sum of the leaves: an upper bound of what the node adds to a message. */
  upper(node: TreeNode): Maybe<number> {
    if (!isBranch(node)) return this.leaf(node as Leaf);
    const facts = node.message;
    if (!facts) return this.#childrenUpper(node, 0);
    if (facts.upper !== undefined) return facts.upper;
    const base = this.base(node);
    const upper = isPending(base)
      ? base.then((tokens) => this.#childrenUpper(node, tokens))
      : this.#childrenUpper(node, base);
    if (isPending(upper)) return upper.then((answer) => (facts.upper = answer));
    facts.upper = upper;
    return upper;
  }

  /** A leaf, with its possible line break. */
  leaf(leaf: Leaf): Maybe<number> {
    const more = leaf.lineBreak === lineBreaks.none ? 0 : 1;
    const tokens = this.#leafTokens(leaf);
    return isPending(tokens) ? tokens.then((answer) => answer + more) : tokens + more;
  }

  #leafTokens(leaf: Leaf): Maybe<number> {
    if (leaf.tokens !== undefined) return leaf.tokens;
    const { other, text = '' } = leaf;
    const tokens = !other
      ? this.#counter.text(text)
      : other.type === Raw.ChatCompletionContentPartKind.Opaque
        ? this.#counter.declared(other)
        : this.#counter.part(other);
    if (isPending(tokens)) return tokens.then((answer) => (leaf.tokens = answer));
    leaf.tokens = tokens;
    return tokens;
  }

  #childrenUpper(branch: Branch, start: number): Maybe<number> {
    let total = start;
    let pending: PromiseLike<number>[] | undefined;
    for (let child = branch.first; child; child = child.next) {
      const tokens = this.upper(child);
      if (isPending(tokens)) {
        pending ??= [];
        pending.push(tokens);
      } else total += tokens;
    }
    return pending ? Promise.all(pending).then((rest) => rest.reduce((sum, tokens) => sum + tokens, total)) : total;
  }

  #exact(branch: Branch, facts: MessageFacts): Maybe<number> {
    const sole = this.#counter.isAdditive && !facts.content ? soleText(branch, facts) : undefined;
    if (sole) return this.#framed(branch, facts, this.#leafTokens(sole));
    const content = contentOf(branch);
    if (this.#isPlain(content)) {
      const text = facts.sole ? this.#leafTokens(facts.sole) : this.#counter.text(textIn(content));
      return this.#framed(branch, facts, text);
    }
    if (!this.#rules.countsOpaqueOnce) return this.#counter.message(messageOf(branch));
    const opaque = content.filter((part) => part.type === Raw.ChatCompletionContentPartKind.Opaque);
    if (opaque.length === 0) return this.#counter.message(messageOf(branch));
    const declared = opaque.reduce((sum, part) => sum + this.#counter.declared(part), 0);
    const rest = content.filter((part) => part.type !== Raw.ChatCompletionContentPartKind.Opaque);
    const tokens = this.#counter.message(withContent(branch, rest));
    return isPending(tokens) ? tokens.then((answer) => answer + declared) : tokens + declared;
  }

  #framed(branch: Branch, facts: MessageFacts, text: Maybe<number>): Maybe<number> {
    const frame = this.#frame(branch, facts);
    if (isPending(frame) || isPending(text)) return Promise.all([frame, text]).then(([a, b]) => a + b);
    return frame + text;
  }

  #base(branch: Branch, facts: MessageFacts): Maybe<number> {
    if (this.#counter.isAdditive && !facts.content && soleText(branch, facts)) return this.#frame(branch, facts);
    if (this.#isPlain(contentOf(branch))) return this.#frame(branch, facts);
    const emptied = emptiedMessageOf(branch);
    if (this.#rules.countsOpaqueOnce)
      emptied.content = emptied.content.filter((part) => part.type !== Raw.ChatCompletionContentPartKind.Opaque);
    return this.#counter.emptied(emptied);
  }

  /** Whether the message is its frame and at most one text, and the tokenizer is additive. */
  #isPlain(content: readonly Raw.ChatCompletionContentPart[]): boolean {
    if (!this.#counter.isAdditive || content.length > 1) return false;
    return content[0] === undefined || content[0].type === Raw.ChatCompletionContentPartKind.Text;
  }

  #frame(branch: Branch, facts: MessageFacts): Maybe<number> {
    if (facts.overhead !== undefined) return facts.overhead;
    const tokens = this.#counter.emptied(withContent(branch, []));
    if (isPending(tokens)) return tokens.then((answer) => (facts.overhead = answer));
    facts.overhead = tokens;
    return tokens;
  }
}

function textIn(content: readonly Raw.ChatCompletionContentPart[]): string {
  const [part] = content;
  return part?.type === Raw.ChatCompletionContentPartKind.Text ? part.text : '';
}
