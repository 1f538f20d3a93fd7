import type { Json } from '../../json.ts';
import { closeDocument, dataBlock, openDocument } from '../../page/document.ts';
import { budgetsFor } from './budgets.ts';
import { readRender } from './read-render.ts';
import { readTree } from './read-tree.ts';
import type { PageEpoch, PageNode, PageRender } from './shape.ts';
import type { TraceSource } from './source.ts';

const noscript =
  'This page shows how a prompt was rendered with the script that is in it. It needs no network, but it needs the script.';

/** What is known of one render, read once and asked for any budget. */
export class TracePage {
  readonly #source: TraceSource;
  readonly #title: string;
  readonly #epochs: readonly PageEpoch[];
  #whole: Promise<{ readonly nodes: readonly PageNode[]; readonly tokens: number }> | undefined;
  #line: Promise<unknown> = Promise.resolve();

  constructor(of: { readonly source: TraceSource; readonly title: string; readonly epochs: readonly PageEpoch[] }) {
    this.#source = of.source;
    this.#title = of.title;
    this.#epochs = of.epochs;
  }

  /** The prompt at a budget. Elements that grow are rendered anew, so one budget comes after the other. */
  render(budget: number): Promise<PageRender> {
    const rendered = this.#line.then(async () =>
      readRender({ source: this.#source, whole: (await this.#read()).nodes, budget }),
    );
    this.#line = rendered.catch(() => undefined);
    return rendered;
  }

  /** The document: with renders at so many budgets, or for a server that answers for any. */
  async html({ renders }: { readonly renders: number | 'live' }): Promise<string> {
    const { page: code } = await import('./page.generated.ts');
    const { nodes, tokens: whole } = await this.#read();
    const { budget } = this.#source;
    const isLive = renders === 'live';
    const budgets = isLive ? [budget] : budgetsFor({ budget, whole, most: renders });
    const prompt = { title: this.#title, budget, whole, isLive, epochs: this.#epochs };
    const pieces = [openDocument({ title: this.#title, code, noscript, asks: isLive })];
    pieces.push(dataBlock({ name: 'prompt', value: prompt as unknown as Json }));
    pieces.push(dataBlock({ name: 'nodes', value: nodes as unknown as Json }));
    for (const each of budgets)
      pieces.push(dataBlock({ name: 'render', value: (await this.render(each)) as unknown as Json }));
    return [...pieces, closeDocument({ code })].join('');
  }

  #read(): Promise<{ readonly nodes: readonly PageNode[]; readonly tokens: number }> {
    this.#whole ??= (async () => {
      const root = this.#source.fullTree();
      const tokens = await this.#source.count(root);
      return { nodes: await readTree({ root, tokenizer: this.#source.tokenizer }), tokens };
    })();
    return this.#whole;
  }
}
