import type { AgentEvent } from 'longhaul/agent';

/** Tells what happens; resolves when it was handed over. */
export type Print = (event: AgentEvent) => Promise<void>;
