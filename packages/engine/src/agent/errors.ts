import { LonghaulError } from '../errors.ts';

export function alreadyRunning(): LonghaulError {
  return new LonghaulError({
    code: 'agent-busy',
    cause: 'The agent is running already, and one session takes one run at a time.',
    next: 'Use `steer` or `queue` to say something meanwhile, or wait for `run_end`.',
  });
}

export function isClosed(): LonghaulError {
  return new LonghaulError({
    code: 'agent-closed',
    cause: 'The agent was closed.',
    next: 'Make another one with `createAgent` on the same session.',
  });
}
