/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `element.ts`, `jsx.ts`: what JSX compiles to; `elements`, `agent`: the elements
 * - `layout`: renders flex groups with their shares, once; waits only for real promises
 * - `tree`: what is pruned. `materialize.ts` makes it from a layout, `queue.ts` and `prune.ts` choose and remove nodes
 *   in constant time each
 * - `count`: asks the tokenizer and caches across renders; `fit`: grows and prunes for any budget
 * - `output`, `results`, `json-tree.ts`: messages, metadata, references, the JSON form
 * - `rules.ts`: every difference between our entry and prompt-tsx; what prompt-tsx does by accident is kept where
 *   results show it
 * - `tracer`: the trace page; its browser code in `page` is built into `page.generated.ts` by `scripts/make-page.ts`
 * - `conversation`: to and from neutral messages, fingerprints
 *
 * @module
 */
export { toMessages } from './conversation/to-messages.ts';
