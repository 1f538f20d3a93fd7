import type { PageNode, PagePrompt, PageRender } from '../shape.ts';

/** The data of the document. */
export interface Data {
  readonly prompt: PagePrompt;
  readonly nodes: readonly PageNode[];
  /** Sorted by budget, smallest first. */
  readonly renders: readonly PageRender[];
}

/** Reads the data blocks of the document. */
export function readData(): Data {
  const [prompt] = blocks<PagePrompt>('prompt');
  if (!prompt) throw new Error('The page contains no prompt.');
  return { prompt, nodes: blocks<PageNode[]>('nodes').flat(), renders: blocks<PageRender>('render') };
}

function blocks<T>(name: string): T[] {
  const found = [...document.querySelectorAll(`script[data-name="${name}"]`)];
  return found.map((block) => JSON.parse(block.textContent ?? '') as T);
}
