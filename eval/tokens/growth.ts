import type { Message } from 'longhaul/message';

/** What came between two answers of one model whose usage was reported, and how much the prompt grew by it. */
export interface Growth {
  readonly model: string;
  /** The earlier answer and all that followed it. */
  readonly added: readonly Message[];
  /** The provider's own count of the earlier answer. */
  readonly output: number;
  readonly actual: number;
}
