/** The worker thread that gathers context for completions: parsing and reading stay off the editor's event loop. */
import { serve } from '../worker/rpc.ts';
import { gatherMethods } from './gather-methods.ts';

serve(gatherMethods());
