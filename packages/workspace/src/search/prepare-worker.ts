/** The worker thread that prepares files while the thread of the index writes those before them. */
import { serve } from '../worker/rpc.ts';
import { prepareMethods } from './prepare-files.ts';

serve(prepareMethods);
