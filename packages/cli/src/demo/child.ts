import type { AgentEvent } from 'longhaul/agent';
import type { Io } from '../io/io.ts';

/** Where the processes of the demo work, and whom they ask. */
export interface Stage {
  readonly io: Pick<Io, 'startSelf' | 'env'>;
  /** The folder of the agent, and that of the store. */
  readonly cwd: string;
  readonly store: string;
  readonly url: string;
  readonly window: number;
  readonly signal: AbortSignal;
}

/** How a process ended. */
export interface ChildEnd {
  readonly code: number | string;
  readonly isKilled: boolean;
}

/**
 * Runs `longhaul -p` in a process of its own, as a person would, and hears its events. A listener that answers `kill`
 * ends it as `kill -9` does, at once.
 *
 * @example
 * await runChild({ stage, args: ['-p', 'Fix it.'], onEvent: async (event) => undefined });
 */
export async function runChild({
  stage,
  args,
  onEvent,
}: {
  readonly stage: Stage;
  readonly args: readonly string[];
  readonly onEvent: (event: AgentEvent) => Promise<'kill' | undefined>;
}): Promise<ChildEnd> {
  const { io, cwd, store, url, window, signal } = stage;
  const { PATH, TMPDIR, SystemRoot, NODE_COMPILE_CACHE } = io.env;
  const child = io.startSelf({
    args: [
      ...args,
      ...['--json', '--yes', '--model', 'anthropic/claude-sonnet-5-5', '--window', String(window)],
      ...['--cwd', cwd, '--store', store],
    ],
    // No key of the user's, and none of their settings.
    env: {
      ...{ PATH, TMPDIR, SystemRoot, NODE_COMPILE_CACHE, HOME: store, XDG_CONFIG_HOME: store },
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'no-key-is-needed' },
    },
  });
  const stop = () => void child.kill();
  signal.addEventListener('abort', stop, { once: true });
  let isKilled = false;
  try {
    for await (const line of child.lines) {
      if (isKilled) continue;
      if ((await onEvent(JSON.parse(line) as AgentEvent)) !== 'kill') continue;
      isKilled = true;
      await child.kill();
    }
    const code = await child.ended;
    signal.throwIfAborted();
    return { code, isKilled };
  } finally {
    signal.removeEventListener('abort', stop);
    await child.kill();
  }
}
