/** How much one call over the wire may take. Times in milliseconds, sizes in bytes after decompression. */
export interface WireLimits {
  /** From the request to the head of its answer. */
  readonly headMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
  /** From the request to the end of its answer. */
  readonly totalMs: number;
  /** A whole answer. */
  readonly answerBytes: number;
  /** One event of a stream, with all of its lines. */
  readonly eventBytes: number;
  /** An answer with an error status; what is longer is cut there. */
  readonly errorBytes: number;
}

const minute = 60_000;
const mebibyte = 1024 * 1024;

const sizes = { answerBytes: 64 * mebibyte, eventBytes: 32 * mebibyte, errorBytes: 64 * 1024 };

/**
 * The limits that hold where none are given. A local server reads a long prompt before it answers, on a small machine for a
 * long time; a remote service that is silent for long is gone.
 */
export const wireLimits: Readonly<Record<'local' | 'remote', WireLimits>> = {
  local: { headMs: 60 * minute, idleMs: 30 * minute, totalMs: 240 * minute, ...sizes },
  remote: { headMs: 15 * minute, idleMs: 10 * minute, totalMs: 60 * minute, ...sizes },
};
