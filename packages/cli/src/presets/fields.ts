import type { Policy } from 'longhaul/engine';
import { bytesText } from '../text/bytes.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';

/** A member of a policy, for people. */
export interface Field {
  /** A few words, for a table. */
  readonly label: string;
  /** One sentence. */
  readonly sentence: string;
  readonly value: (policy: Policy) => string;
}

const none = '–';

const isOn = (is: boolean) => (is ? 'yes' : 'no');

/** Every member but the name, in the order in which a request meets them. */
export const fields: { readonly [Key in Exclude<keyof Policy, 'name'>]-?: Field } = {
  automatic: {
    label: 'unasked',
    sentence: 'Whether anything is compacted unasked; what no longer fits is made to fit all the same.',
    value: ({ automatic }) => isOn(automatic),
  },
  measure: {
    label: 'shares are of',
    sentence: 'What the shares below are parts of: the window, or the window less the reserve.',
    value: ({ measure }) => (measure === 'window' ? 'the window' : 'what may be sent'),
  },
  threshold: {
    label: 'threshold',
    sentence:
      'How much of the window is to be used before it is time: a share, or tokens; all of it where none is set.',
    value: ({ threshold }) =>
      threshold === undefined ? none : threshold <= 1 ? percent(threshold) : `${number(threshold)} tokens`,
  },
  reserve: {
    label: 'kept for the answer',
    sentence: 'What of the window stays free for the answer: so many tokens, of a small window the share.',
    value: ({ reserve: { tokens, share } }) => (tokens === 0 ? none : `${number(tokens)} or ${percent(share)}`),
  },
  afterTools: {
    label: 'used beside tools',
    sentence: 'With tools on offer only so much of what they leave is used, in case they cost more than we count.',
    value: ({ afterTools }) => percent(afterTools),
  },
  fitsThreshold: {
    label: 'threshold is a limit',
    sentence: 'Whether, with tools on offer, no request may be larger than the threshold.',
    value: ({ fitsThreshold }) => isOn(fitsThreshold),
  },
  fits: {
    label: 'bound fits into',
    sentence: 'What the upper bound of a request has to fit into; triggers go by its likely size.',
    value: ({ fits }) => (fits === 'window' ? 'the window' : 'what may be sent'),
  },
  start: {
    label: 'begins beside the work',
    sentence: 'From here on a summary is made beside the work; a range means a random point of it at each request.',
    value: ({ start }) => {
      if (!start) return 'never';
      const [warm, cold] = [range(start.warm), range(start.cold)];
      return warm === cold ? warm : `${warm}, cold ${cold}`;
    },
  },
  warm: {
    label: 'cache counts as warm',
    sentence: 'What makes the cache warm: a tool round in this turn, or that the provider still has the prefix.',
    value: ({ warm }) => (warm === 'round' ? 'after a tool round' : 'while it lasts'),
  },
  compactAt: {
    label: 'compacts at once above',
    sentence: 'Above this a compaction is made before the next request.',
    value: ({ compactAt }) => (compactAt === undefined ? 'never' : percent(compactAt)),
  },
  block: {
    label: 'waits while it is made',
    sentence: 'From here on a request waits for the summary that is being made.',
    value: ({ block, mayWait, compactAt }) => {
      if (mayWait === 0) return 'never';
      if (block !== undefined) return `from ${percent(block)}`;
      return compactAt === undefined ? 'if it does not fit' : 'always';
    },
  },
  mayWait: {
    label: 'waits at most',
    sentence: 'So long a request may wait for a model that summarizes; then the summary is made without one.',
    value: ({ mayWait }) => (mayWait === 0 ? none : span(mayWait)),
  },
  longest: {
    label: 'given up after',
    sentence: 'After this time a summary is given up, and made without a model.',
    value: ({ longest }) => span(longest),
  },
  leastMessages: {
    label: 'not below',
    sentence: 'With fewer messages in what is sent no summary is begun.',
    value: ({ leastMessages }) => count({ amount: leastMessages, of: 'message' }),
  },
  leastRounds: {
    label: 'nor below',
    sentence: 'With fewer answers of the model in what is sent no summary is begun.',
    value: ({ leastRounds }) => (leastRounds === 0 ? none : count({ amount: leastRounds, of: 'answer' })),
  },
  applyMinimum: {
    label: 'dropped below',
    sentence: 'A summary that is ready is dropped where less than this is used by then.',
    value: ({ applyMinimum }) => (applyMinimum === 0 ? none : percent(applyMinimum)),
  },
  install: {
    label: 'goes in',
    sentence:
      'When a summary that is ready goes in: with the next request, or where the work pauses or the cache is cold.',
    value: ({ install }) => (install === 'ready' ? 'when it is ready' : 'at a pause'),
  },
  early: {
    label: 'there not before',
    sentence: 'Below this it waits even at a pause: compactions that come too early come too often.',
    value: ({ early, install }) => (install === 'ready' ? none : percent(early)),
  },
  late: {
    label: 'anywhere from',
    sentence: 'From here on it goes in wherever the work is.',
    value: ({ late, install }) => (install === 'ready' ? none : percent(late)),
  },
  horizon: {
    label: 'must pay within',
    sentence: 'While the cache is warm it goes in early only if that pays off over so many requests.',
    value: ({ horizon, install }) => (install === 'ready' ? none : count({ amount: horizon, of: 'request' })),
  },
  keep: {
    label: 'stays verbatim',
    sentence:
      'What stays as it is at the end, where it fits: tokens (at most: selected lines may be worth more), or rounds.',
    value: ({ keep }) => {
      if ('tokens' in keep) return `${keep.flexible ? 'at most ' : ''}${number(keep.tokens)} tokens`;
      return keep.rounds === 0 ? 'what is unanswered' : `${count({ amount: keep.rounds, of: 'round' })}`;
    },
  },
  summaryTokens: {
    label: 'summary at most',
    sentence: 'The largest summary; without it, half of what the head and unanswered input leave of the threshold.',
    value: ({ summaryTokens }) => (summaryTokens === undefined ? none : `${number(summaryTokens)} tokens`),
  },
  summaryTag: {
    label: 'summary in a tag',
    sentence: 'The tag around the summary in the message that carries it.',
    value: ({ summaryTag }) => summaryTag,
  },
  splitsTurns: {
    label: 'splits long turns',
    sentence: 'Whether the beginning of a turn that a cut goes through gets a summary of its own, under a heading.',
    value: ({ splitsTurns }) => isOn(splitsTurns),
  },
  prunes: {
    label: 'elides outputs first',
    sentence: 'Whether old tool outputs give way before a compaction is thought of.',
    value: ({ prunes }) => isOn(prunes),
  },
  pruning: {
    label: '… keeping, freeing',
    sentence: 'The newest tokens of tool output that stay, and what must go; without it, shares of the window.',
    value: ({ pruning }) => (pruning ? `${number(pruning.protect)}, ${number(pruning.minimum)}` : none),
  },
  offloads: {
    label: 'keeps results aside',
    sentence: 'Results above this size are kept aside when they come, with a preview and a handle in their place.',
    value: ({ offloads }) => (offloads === undefined ? 'no' : `above ${bytesText(offloads)}`),
  },
  mode: {
    label: 'asks a model',
    sentence: 'How a model is asked first: auto is a fork of the live request, full the conversation, simple one text.',
    value: ({ mode }) => mode,
  },
  foreground: {
    label: '… while one waits',
    sentence: 'The same while a request waits for it.',
    value: ({ foreground, mayWait }) => (mayWait === 0 ? none : foreground),
  },
  backOff: {
    label: 'pause after a failure',
    sentence: 'After a failure the next summary waits so long, twice as long each time, up to the second.',
    value: ({ backOff: { first, most } }) => (first === 0 ? none : `${span(first)} to ${span(most)}`),
  },
  autoContinue: {
    label: 'goes on by itself',
    sentence: 'Whether the work goes on by itself after a compaction between rounds; after an overflow it always does.',
    value: ({ autoContinue }) => isOn(autoContinue),
  },
  branchSummaries: {
    label: 'tells of branches',
    sentence: 'Whether moving to another branch tells there, unasked, what was left.',
    value: ({ branchSummaries }) => isOn(branchSummaries),
  },
};

/** The same in the words of one sentence for each preset. */
export const sentences: Readonly<Record<string, string>> = {
  longhaul: 'Ours: prepared early, put in where the work pauses or the cache is cold, never waited for.',
  chat: 'As VS Code Copilot Chat: begun near 80 %, put in when it is ready, waited for once nothing fits.',
  cli: 'As Copilot CLI: begun at 80 %, put in when it is ready, waited for from 95 % on.',
  pi: 'As pi: made once all but the reserve is used, and waited for.',
};

function range([from, to]: readonly [number, number]): string {
  return from === to ? percent(from) : `${percent(from).replace(' %', '')} to ${percent(to)}`;
}

/**
 * A share as people write it.
 *
 * @example
 * percent(0.785); // '78.5 %'
 */
function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/**
 * Milliseconds in the unit that fits them.
 *
 * @example
 * span(300_000); // '5 min'
 */
function span(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${number(ms / 60_000)} min`;
  return `${number(Math.round(ms / 100) / 10)} s`;
}
