import type { PageRender } from '../shape.ts';
import type { Data } from './data.ts';

/** Finds the prompt at a budget: in the page, or from its server. */
export class Renders {
  readonly #known = new Map<number, PageRender>();
  readonly #isLive: boolean;
  /** Budgets in the page, smallest first. */
  readonly budgets: readonly number[];

  constructor({ prompt, renders }: Data) {
    for (const render of renders) this.#known.set(render.budget, render);
    this.#isLive = prompt.isLive;
    this.budgets = renders.map(({ budget }) => budget);
  }

  /** The available budget closest to the requested one. */
  nearest(budget: number): number {
    if (this.#isLive) return Math.max(0, Math.round(budget));
    return this.budgets.reduce((best, each) => (Math.abs(each - budget) < Math.abs(best - budget) ? each : best));
  }

  /** Synchronous if cached. */
  get(budget: number): PageRender | Promise<PageRender> {
    return this.#known.get(budget) ?? this.#ask(budget);
  }

  async #ask(budget: number): Promise<PageRender> {
    const answer = await fetch(`render?budget=${budget}`);
    if (!answer.ok) throw new Error(await answer.text());
    const render = (await answer.json()) as PageRender;
    this.#known.set(budget, render);
    return render;
  }
}
