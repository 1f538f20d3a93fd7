import type { AgentEvent } from 'longhaul/agent';

/** Prints an event; resolves when it has been written. */
export type Print = (event: AgentEvent) => Promise<void>;
