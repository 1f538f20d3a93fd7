import type { ITraceData } from './tracer.ts';

/** Source of the page: a traced render, whether it fitted or not. */
export type TraceSource = Pick<ITraceData, 'budget' | 'tokenizer' | 'renderTree' | 'fullTree' | 'count'>;
