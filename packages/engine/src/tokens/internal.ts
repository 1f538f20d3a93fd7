/**
 * Exports for the other modules of this package; not part of the public API.
 *
 * Map of the module:
 * - `tokenizer.ts`: a text in windows of bytes -> `bpe/counter.ts`; `bpe/split.ts`: where pieces end, written by hand
 *   for linear time
 * - `bpe/vocabulary.ts`: `tables/*.bin` -> flat arrays; the tables are made by `scripts/make-tables.ts` and checked in
 * - `background`: the same in a worker, with a memory limit, cancellation and a fallback to this thread
 * - `content`: messages, tools, images, documents; what each provider adds is data in `rules.ts`
 * - `estimate`: features of a text, calibration by reported usage, an estimate and an upper bound
 * - `ledger`: prefix sums, reported usage as anchors, the snapshot
 *
 * @module
 */
export { reserveFor } from './ledger/snapshot.ts';
