/** The worker thread that parses large documents: a parse takes about 0.4 s for a megabyte. */
import { serve } from '../worker/rpc.ts';
import { parseStructure } from './parse-structure.ts';

const methods = { parse: parseStructure };

export type StructureMethods = typeof methods;

serve(methods);
