/** The worker thread of a code index: file system, SQLite and ranking stay off the caller's event loop. */
import { serve } from '../worker/rpc.ts';
import { indexMethods } from './index-methods.ts';

serve(indexMethods());
