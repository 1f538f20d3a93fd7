/** What `longhaul wrap` knows about clients: how each is led to a gateway, and what is printed at the end. */
export { type ClientPlan, setupOf } from './client.ts';
export { knownClients } from './clients/index.ts';
export { closingLines } from './closing-lines.ts';
export { commandPlan } from './other-command.ts';
export { upstreamTable } from './upstreams.ts';
