import { LonghaulError } from '../../errors.ts';
import type { Lease } from '../store/store.ts';

/**
 * Another process is working on the session. Nothing was written.
 *
 * @example
 * await leasedStore({ store, purpose: 'nightly job' }).acquire({ session: id }).catch((error) => {
 *   if (error instanceof SessionInUseError) console.error(`Process ${error.lease.pid} is working on it.`);
 *   throw error;
 * });
 */
export class SessionInUseError extends LonghaulError {
  override readonly name = 'SessionInUseError';
  readonly lease: Lease;

  constructor({ session, lease, now }: { readonly session: string; readonly lease: Lease; readonly now: number }) {
    const silent = Math.round((now - lease.renewedAt) / 1000);
    super({
      code: 'session-in-use',
      message: `Session ${session} is in use by ${holderText(lease)}${silent > 60 ? `, which has not responded for ${silent} seconds` : ''}. Nothing was written.`,
      hint: 'Wait until it has ended, or work on a copy: `longhaul fork`.',
    });
    this.lease = lease;
  }
}

/**
 * The holder of a lease, for people.
 *
 * @example
 * holderText({ pid: 4242, host: 'build-7', purpose: 'longhaul -p' }); // 'process 4242 on build-7 (longhaul -p)'
 */
export function holderText({ pid, host, purpose }: Pick<Lease, 'pid' | 'host' | 'purpose'>): string {
  return `process ${pid} on ${host} (${purpose})`;
}

/** Another process took the lease over, because this one did not renew it in time. */
export function leaseLost({ session, lease }: { readonly session: string; readonly lease: Lease | null }) {
  const by = lease ? holderText(lease) : 'another process';
  return new LonghaulError({
    code: 'lease-lost',
    message: `Session ${session} was taken over by ${by}, because this process did not respond. Nothing was written.`,
    hint: 'Resume the session when the other process has ended, or work on a copy: `longhaul fork`.',
  });
}
