import type { PageNode, PagePrompt, PageRender } from '../shape.ts';

/** Everything that the document holds. */
export interface Data {
  readonly prompt: PagePrompt;
  readonly nodes: readonly PageNode[];
  /** By budget, the smallest first. */
  readonly renders: readonly PageRender[];
}

/** Reads the data blocks of the document. */
export function readData(): Data {
  const [prompt] = blocks<PagePrompt>('prompt');
  if (!prompt) throw new Error('The page has no prompt in it.');
  return { prompt, nodes: blocks<PageNode[]>('nodes').flat(), renders: blocks<PageRender>('render') };
}

function blocks<T>(name: string): T[] {
  const found = [...document.querySelectorAll(`script[data-name="${name}"]`)];
  return found.map((block) => JSON.parse(block.textContent ?? '') as T);
}
