import type { GatewayMemory } from '@longhaul/gateway';
import { chooseInbox, repositoryOf, staleCheck } from 'longhaul/memory';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { openBoard } from './board.ts';

/**
 * The memory of a gateway: conversations that ended are consolidated; new ones get notes only where that is asked for.
 *
 * @example
 * const memory = gatewayMemory({ io, dir, values, isDelivering: false });
 */
export function gatewayMemory({
  io,
  dir,
  values,
  isDelivering,
  folder: given,
}: {
  readonly io: Pick<Io, 'env' | 'openMemory' | 'startDetached'>;
  /** The folder of the store. */
  readonly dir: string;
  readonly values: Settings;
  readonly isDelivering: boolean;
  /** The folder that all clients work in; otherwise it is the one that they name. */
  readonly folder?: string;
}): GatewayMemory {
  return {
    ...(given !== undefined && { folder: given }),
    branch: (folder) => repositoryOf({ folder }).branch,
    ...(isDelivering && { notes }),
    ended: (conversations) => {
      const byFolder = Map.groupBy(conversations, ({ folder }) => folder);
      for (const [folder, of] of byFolder) {
        const sessions = of.map(({ session }) => session);
        io.startDetached(consolidation({ sessions, dir, values, folder, env: io.env }));
      }
    },
  };

  async function notes({ folder, ...of }: Parameters<NonNullable<GatewayMemory['notes']>>[0]) {
    const { memory, repository } = await openBoard({ io, dir, values, folder });
    try {
      const { root, branch } = repository;
      const { entries } = staleCheck({ root })({ entries: memory.list(), removed: [] });
      const inbox = chooseInbox({ entries, branch, tokens: values.memory.inboxTokens, ...of });
      if (inbox.text === '') return undefined;
      const delivered = inbox.entries.map(({ id }) => id);
      return { text: inbox.text, delivered: (session: string) => void record({ folder, session, delivered }) };
    } finally {
      memory.close();
    }
  }

  async function record(of: {
    readonly folder: string;
    readonly session: string;
    readonly delivered: readonly string[];
  }): Promise<void> {
    const { memory } = await openBoard({ io, dir, values, folder: of.folder });
    try {
      memory.change({ work: (state) => state, sessions: { [of.session]: { delivered: of.delivered } } });
    } finally {
      memory.close();
    }
  }
}

/** The process that consolidates sessions, so that the one that ran them can end. */
export function consolidation({
  sessions,
  dir,
  values,
  folder,
  env,
}: {
  readonly sessions: readonly string[];
  readonly dir: string;
  readonly values: Pick<Settings, 'memory'>;
  readonly folder: string;
  readonly env: Io['env'];
}): Parameters<Io['startDetached']>[0] {
  const { inRepo, refine } = values.memory;
  const flags = [...(inRepo ? ['--in-repo'] : []), ...(refine ? ['--memory-refine'] : [])];
  return { args: ['memory', 'consolidate', ...sessions, '--store', dir, ...flags], env, cwd: folder };
}
