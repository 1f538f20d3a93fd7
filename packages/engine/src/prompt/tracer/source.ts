import type { ITraceData } from './tracer.ts';

/** What the page is made of: a render that was traced, whether it fitted or not. */
export type TraceSource = Pick<ITraceData, 'budget' | 'tokenizer' | 'renderTree' | 'fullTree' | 'count'>;
