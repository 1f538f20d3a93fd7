import type { MessagePort } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import { Keeper, type KeeperOptions } from './keeper.ts';
import type { Answer, AppendArgs, Envelope, Outcome } from './protocol.ts';

/**
 * Serves a store's requests. While one commit waits for the disk, further requests pile up; all appends among them go into
 * the next commit, so the disk is waited for once, not once each.
 */
export function serve({ port, options }: { readonly port: MessagePort; readonly options: KeeperOptions }): void {
  let keeper: Keeper | undefined;
  let waiting: Envelope[] = [];
  let scheduled = false;
  let idle: NodeJS.Timeout | undefined;

  const opened = (): Keeper => {
    keeper ??= new Keeper(options);
    return keeper;
  };
  const answer = (number: number, outcome: Outcome<unknown>): void => {
    port.postMessage({ number, outcome } satisfies Answer);
  };
  const settle = <T>(work: () => T): Outcome<T> => {
    try {
      return { value: work() };
    } catch (error) {
      return { failure: failureOf({ error, where: `Store ${options.dir}` }) };
    }
  };

  const flush = (): void => {
    scheduled = false;
    const batch = waiting;
    waiting = [];
    for (const group of groups(batch)) {
      const appends = group.filter(({ op }) => op === 'append');
      if (appends.length > 0) {
        const done = settle(() => opened().appendAll(appends.map(({ args }) => args as AppendArgs)));
        appends.forEach(({ number }, index) => {
          const outcome = 'value' in done ? done.value[index] : done;
          if (outcome) answer(number, outcome);
        });
      }
      for (const { number, op, args } of group) {
        if (op === 'append') continue;
        answer(
          number,
          settle(() => opened().run(op, args as never)),
        );
        if (op === 'close') port.close();
      }
    }
    indexWhenIdle();
  };

  // The index follows behind the work. A search does not wait for this: it catches up itself.
  const indexWhenIdle = (): void => {
    clearTimeout(idle);
    idle = setTimeout(() => {
      const more = settle(() => opened().indexSome());
      if ('value' in more && more.value) indexWhenIdle();
    }, idleTime).unref();
  };

  port.on('message', (envelope: Envelope) => {
    waiting.push(envelope);
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  });
}

const idleTime = 50;

/** Requests that may be served in any order among themselves: those between two that make, delete, examine or close. */
function groups(batch: readonly Envelope[]): Envelope[][] {
  const result: Envelope[][] = [[]];
  for (const envelope of batch) {
    if (barriers.has(envelope.op)) result.push([envelope], []);
    else result.at(-1)?.push(envelope);
  }
  return result.filter((group) => group.length > 0);
}

const barriers: ReadonlySet<string> = new Set(['create', 'delete', 'doctor', 'close']);
