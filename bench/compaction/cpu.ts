import { cpuUsage } from 'node:process';

/** CPU milliseconds of one run, user and system, all threads. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = cpuUsage();
  await work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}
