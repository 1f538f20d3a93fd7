/** The thread of a store: takes requests, commits together what waits together, answers. */
import { parentPort, workerData } from 'node:worker_threads';
import { serve } from './serve.ts';

if (parentPort) serve({ port: parentPort, options: workerData });
