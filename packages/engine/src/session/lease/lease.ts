import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isRunning, pidNamespace, processStart } from '../../process-identity.ts';
import type { Lease } from '../store/store.ts';

/** The process that wants a lease. */
export type LeaseHolder = Pick<Lease, 'host' | 'machine' | 'pid' | 'started'>;

/** This process as the holder of leases. */
export function thisProcess(): LeaseHolder {
  const { pid } = process;
  return { host: hostname(), machine: machineId(), pid, started: processStart(pid) ?? null };
}

function machineId(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}/${pidNamespace()}`;
  } catch {
    return hostname();
  }
}

/**
 * What is known about the holder of a lease: `unknown` for a process of another machine or container, which only its
 * renewals can tell.
 */
export function holderState({
  lease,
  machine,
}: {
  readonly lease: Lease;
  /** Where the question is asked. */
  readonly machine: string;
}): 'running' | 'gone' | 'unknown' {
  if (lease.machine !== machine) return 'unknown';
  const started = processStart(lease.pid);
  if (started !== undefined) return lease.started === null || lease.started === started ? 'running' : 'gone';
  // Without start times, a live pid is the best evidence.
  return lease.started === null && isRunning(lease.pid) ? 'running' : 'gone';
}
