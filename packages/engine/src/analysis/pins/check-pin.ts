import { LonghaulError } from '../../errors.ts';
import type { Origin } from '../../message/index.ts';

/** Maximum tokens of pins set by hand, which are part of every request. */
const pinLimits = { one: 500, all: 2000 } as const;

const originNames: Readonly<Record<Exclude<Origin, 'human'>, string>> = {
  model: "a model's",
  tool: "a tool's",
  engine: "the program's",
  data: 'attached data',
};

/**
 * Throws if a text cannot be pinned: it is empty, too long, exceeds the total limit, or was not written by a person.
 *
 * @example
 * checkPin({ text: 'Never push to main.', pinned: pins.map(({ text }) => text), count });
 */
export function checkPin({
  text,
  pinned,
  count,
  origin = 'human',
  limits = pinLimits,
}: {
  readonly text: string;
  /** The texts already pinned by hand. */
  readonly pinned: readonly string[];
  readonly count: (text: string) => number;
  /** The origin of the quoted part; `human` if the text was typed. */
  readonly origin?: Origin;
  readonly limits?: { readonly one: number; readonly all: number };
}): void {
  if (text.trim() === '')
    throw pinError({ code: 'pin-empty', message: 'A rule without words cannot be pinned.', hint: 'Write the rule.' });
  if (origin !== 'human') {
    throw pinError({
      code: 'pin-not-human',
      message: `These words are ${originNames[origin]}, and only a person's can become a rule.`,
      hint: 'Pin the rule in your own words.',
    });
  }
  const tokens = count(text);
  if (tokens > limits.one) {
    throw pinError({
      code: 'pin-too-long',
      message: `The rule has ${tokens} tokens, and ${limits.one} are the most for one: it goes into every request.`,
      hint: 'Pin a shorter one, or put the text into an instruction file.',
    });
  }
  const used = pinned.reduce((sum, one) => sum + count(one), 0);
  if (pinned.includes(text) || used + tokens <= limits.all) return;
  throw pinError({
    code: 'pins-full',
    message: `The pinned rules have ${used} tokens, and with this one they would exceed the ${limits.all} that are there.`,
    hint: 'Take off a pin that no longer holds.',
  });
}

function pinError(facts: { readonly code: string; readonly message: string; readonly hint: string }): LonghaulError {
  return new LonghaulError({ ...facts, message: `${facts.message} Nothing was pinned.` });
}
