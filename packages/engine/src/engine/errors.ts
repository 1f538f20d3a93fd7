import { LonghaulError } from '../errors.ts';

export { BudgetExceededError } from '../errors.ts';

export function stillTooLong({ refusals }: { readonly refusals: number }): LonghaulError {
  return new LonghaulError({
    code: 'still-too-long',
    message: `The provider refused ${refusals} requests in a row as too long, and no smaller one can be made. Nothing was lost.`,
    hint: 'Say something new to try again, use another model, or undo.',
  });
}

export function nothingToSend({ messages }: { readonly messages: number }): LonghaulError {
  return new LonghaulError({
    code: 'nothing-to-send',
    message:
      messages === 0
        ? 'There is nothing to send: the conversation is empty.'
        : `There is nothing to send: no user message is left of the ${messages} messages in the conversation. Empty texts and results without their calls are refused by providers.`,
    hint: 'Say something to the model, then prepare the request again.',
  });
}

export function badThreshold(threshold: number): LonghaulError {
  return new LonghaulError({
    code: 'bad-threshold',
    message: `A threshold of ${threshold} is neither a share of the window (above 0, up to 1) nor a number of tokens (100 or more).`,
    hint: 'Give a share such as 0.8, or tokens such as 160000.',
  });
}

export function badShare({ name, value }: { readonly name: string; readonly value: string }): LonghaulError {
  return new LonghaulError({
    code: 'bad-threshold',
    message: `${name} is ${JSON.stringify(value)}, which is no share above 0 and up to 1.`,
    hint: 'Set it to a share such as 0.8, or take it out of the environment.',
  });
}

export function notHead(role: string): LonghaulError {
  return new LonghaulError({
    code: 'bad-head',
    message: `The head consists of system messages, and one of these has the role ${role}.`,
    hint: 'Put it into the turn.',
  });
}

export function notPinned(place: string): LonghaulError {
  return new LonghaulError({
    code: 'not-pinned',
    message: `${place} is no pin, and no rule was found in it, so there is nothing to take off.`,
    hint: 'Name one that `longhaul pin SESSION` lists.',
  });
}

export function noSuchEntry(handle: string): LonghaulError {
  return new LonghaulError({
    code: 'not-in-context',
    message: `${handle} is not among what is sent, so no compaction can begin or end there.`,
    hint: 'Choose one that `longhaul context` shows.',
  });
}
