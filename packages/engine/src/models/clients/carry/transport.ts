/** Minutes in milliseconds. */
const minutes = 60_000;

/**
 * How long to wait for the head of an answer and between two pieces of it. A local server reads a long prompt before it
 * says anything, on a small machine for a long time; a service far away that is silent for long is gone.
 */
export const patience = {
  local: { head: 60 * minutes, body: 30 * minutes },
  remote: { head: 15 * minutes, body: 10 * minutes },
} as const;

/** A `fetch` with connections of its own, since Node's gives up after five minutes. Loaded when it is first used. */
export function createFetch({ place }: { readonly place: 'local' | 'remote' }): typeof fetch {
  let agent: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    agent ??= open();
    return (await agent)(input, init);
  };

  async function open(): Promise<typeof fetch> {
    const { Agent, fetch: carry } = await import('undici');
    const { head, body } = patience[place];
    const dispatcher = new Agent({ headersTimeout: head, bodyTimeout: body });
    type Init = Parameters<typeof carry>[1];
    // Two declarations of one standard: the types differ, the values do not.
    return async (input, init) =>
      (await carry(input as Parameters<typeof carry>[0], { ...(init as Init), dispatcher })) as unknown as Response;
  }
}
