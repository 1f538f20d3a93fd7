import type { Command } from 'commander';
import { LonghaulError } from 'longhaul';
import { overridesOf, type Policy, presets, presets as presetsByName } from 'longhaul/engine';
import { policyOf } from '../compaction/policy-of.ts';
import { examplesHelp } from '../help.ts';
import type { Bind, CommandAction } from '../invocation.ts';
import { printResult } from '../output/print-result.ts';
import { addSettingFlags } from '../settings/flags.ts';
import { bytesText } from '../text/bytes.ts';
import { closest } from '../text/closest.ts';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { columns } from '../text/table.ts';
import { tableWidth } from '../text/width.ts';

/**
 * A policy under the names that `--json` prints: one level, with the defaults of what `imitates` leaves out.
 *
 * @example
 * flatPolicy(presets.longhaul).early; // 0.8
 */
export function flatPolicy(policy: Policy) {
  const { name, when, keep, summarize, prune } = policy;
  return {
    name,
    ...when,
    ...overridesOf(policy),
    keep,
    mode: summarize.mode,
    longest: summarize.timeout,
    backOff: summarize.backOff,
    branchSummaries: summarize.branches,
    prunes: prune.outputs,
    summaryTokens: summarize.maxTokens,
    pruning: prune.limits,
    offloads: prune.offloadAbove,
  };
}

type FlatPolicy = ReturnType<typeof flatPolicy>;

/** Describes a member of a policy. */
interface Field {
  /** Where a policy of the library has it. */
  readonly member: string;
  /** A short label for the table. */
  readonly label: string;
  /** One sentence. */
  readonly sentence: string;
  readonly value: (policy: FlatPolicy) => string;
}

const none = '–';

const isOn = (is: boolean) => (is ? 'yes' : 'no');

/** Every member but the name, by its name in JSON, in the order in which they apply to a request. */
export const fields: { readonly [Key in Exclude<keyof FlatPolicy, 'name'>]-?: Field } = {
  automatic: {
    member: 'when.automatic',
    label: 'unasked',
    sentence: 'Whether sessions are compacted automatically. What exceeds the window is cut in any case.',
    value: ({ automatic }) => isOn(automatic),
  },
  measure: {
    member: 'when.measure',
    label: 'shares are of',
    sentence: 'What the shares below refer to: the window, or the window minus the reserve.',
    value: ({ measure }) => (measure === 'window' ? 'the window' : 'the budget'),
  },
  threshold: {
    member: 'when.threshold',
    label: 'threshold',
    sentence: 'How much of the window is used before compaction: a share or a number of tokens; all of it if not set.',
    value: ({ threshold }) =>
      threshold === undefined ? none : threshold <= 1 ? percent(threshold) : `${number(threshold)} tokens`,
  },
  reserve: {
    member: 'when.reserve',
    label: 'output reserve',
    sentence: 'What is kept free for the answer: this many tokens, or this share of a small window.',
    value: ({ reserve: { tokens, share } }) => (tokens === 0 ? none : `${number(tokens)} or ${percent(share)}`),
  },
  afterTools: {
    member: 'imitates.afterTools',
    label: 'share used with tools',
    sentence:
      'With tools, only this share of what their definitions leave is used until usage is reported, in case they cost more than counted.',
    value: ({ afterTools }) => percent(afterTools),
  },
  fitsThreshold: {
    member: 'imitates.fitsThreshold',
    label: 'threshold is a limit',
    sentence: 'Whether, with tools, no request may be larger than the threshold.',
    value: ({ fitsThreshold }) => isOn(fitsThreshold),
  },
  fits: {
    member: 'imitates.fits',
    label: 'upper bound fits',
    sentence: 'What the upper bound of a request must fit into; triggers use its estimated size.',
    value: ({ fits }) => (fits === 'window' ? 'the window' : 'the budget'),
  },
  start: {
    member: 'when.start',
    label: 'starts in background at',
    sentence: 'From here on a summary is made in the background; a range means a random point in it per request.',
    value: ({ start }) => {
      if (!start) return 'never';
      const [warm, cold] = [range(start.warm), range(start.cold)];
      return warm === cold ? warm : `${warm}, cold ${cold}`;
    },
  },
  warm: {
    member: 'imitates.warm',
    label: 'cache is warm',
    sentence: 'When the cache counts as warm: after a tool round in this turn, or while the provider keeps the prefix.',
    value: ({ warm }) => (warm === 'round' ? 'after a tool round' : 'while it is kept'),
  },
  compactAt: {
    member: 'imitates.compactAt',
    label: 'compacts at once above',
    sentence: 'Above this, a compaction is made before the next request.',
    value: ({ compactAt }) => (compactAt === undefined ? 'never' : percent(compactAt)),
  },
  block: {
    member: 'imitates.block',
    label: 'waits for a summary',
    sentence: 'From here on a request waits for the summary in progress.',
    value: ({ block, mayWait, compactAt }) => {
      if (mayWait === 0) return 'never';
      if (block !== undefined) return `from ${percent(block)}`;
      return compactAt === undefined ? 'if it does not fit' : 'always';
    },
  },
  mayWait: {
    member: 'when.mayWait',
    label: 'waits at most',
    sentence: 'How long a request may wait for a summarizing model; then an extractive summary is used.',
    value: ({ mayWait }) => (mayWait === 0 ? none : span(mayWait)),
  },
  longest: {
    member: 'summarize.timeout',
    label: 'summary timeout',
    sentence: 'After this time a model summary is abandoned and an extractive one is made.',
    value: ({ longest }) => span(longest),
  },
  leastMessages: {
    member: 'when.leastMessages',
    label: 'minimum messages',
    sentence: 'With fewer messages in the context no summary is started.',
    value: ({ leastMessages }) => count({ amount: leastMessages, of: 'message' }),
  },
  leastRounds: {
    member: 'when.leastRounds',
    label: 'minimum answers',
    sentence: 'With fewer model answers in the context no summary is started.',
    value: ({ leastRounds }) => (leastRounds === 0 ? none : count({ amount: leastRounds, of: 'answer' })),
  },
  applyMinimum: {
    member: 'when.applyMinimum',
    label: 'discarded below',
    sentence: 'A finished summary is discarded if less than this is used by then.',
    value: ({ applyMinimum }) => (applyMinimum === 0 ? none : percent(applyMinimum)),
  },
  install: {
    member: 'when.install',
    label: 'installed',
    sentence:
      'When a finished summary is installed: with the next request, or when the work pauses or the cache is cold.',
    value: ({ install }) => (install === 'ready' ? 'when ready' : 'at a pause'),
  },
  early: {
    member: 'when.early',
    label: 'not installed below',
    sentence: 'Below this it is not installed even at a pause, because early compactions are frequent ones.',
    value: ({ early, install }) => (install === 'ready' ? none : percent(early)),
  },
  late: {
    member: 'when.late',
    label: 'installed anywhere from',
    sentence: 'From here on it is installed at any point of the work.',
    value: ({ late, install }) => (install === 'ready' ? none : percent(late)),
  },
  horizon: {
    member: 'when.horizon',
    label: 'must pay off within',
    sentence: 'With a warm cache it is installed early only if that pays off within this many requests.',
    value: ({ horizon, install }) => (install === 'ready' ? none : count({ amount: horizon, of: 'request' })),
  },
  keep: {
    member: 'keep',
    label: 'kept verbatim',
    sentence:
      'What is kept verbatim at the end, if it fits: tokens (at most: selected lines may be worth more), or rounds.',
    value: ({ keep }) => {
      if ('tokens' in keep) return `${keep.flexible ? 'at most ' : ''}${number(keep.tokens)} tokens`;
      return keep.rounds === 0 ? 'pending input' : `${count({ amount: keep.rounds, of: 'round' })}`;
    },
  },
  summaryTokens: {
    member: 'summarize.maxTokens',
    label: 'summary at most',
    sentence: 'The largest summary; if not set, half of what head and pending input leave of the threshold.',
    value: ({ summaryTokens }) => (summaryTokens === undefined ? none : `${number(summaryTokens)} tokens`),
  },
  summaryTag: {
    member: 'imitates.summaryTag',
    label: 'summary tag',
    sentence: 'The tag around the summary in its message.',
    value: ({ summaryTag }) => summaryTag,
  },
  splitsTurns: {
    member: 'imitates.splitsTurns',
    label: 'splits long turns',
    sentence: 'Whether the start of a turn that is cut gets its own summary under a heading.',
    value: ({ splitsTurns }) => isOn(splitsTurns),
  },
  prunes: {
    member: 'prune.outputs',
    label: 'prunes outputs first',
    sentence: 'Whether old tool outputs are pruned before a compaction is considered.',
    value: ({ prunes }) => isOn(prunes),
  },
  pruning: {
    member: 'prune.limits',
    label: '… keeping, freeing',
    sentence: 'The newest tokens of tool output to keep, and the minimum to free; if not set, shares of the window.',
    value: ({ pruning }) => (pruning ? `${number(pruning.protect)}, ${number(pruning.minimum)}` : none),
  },
  offloads: {
    member: 'prune.offloadAbove',
    label: 'offloads results',
    sentence: 'Larger results are stored apart when they arrive, with a preview and a handle in their place.',
    value: ({ offloads }) => (offloads === undefined ? 'no' : `above ${bytesText(offloads)}`),
  },
  mode: {
    member: 'summarize.mode',
    label: 'summary request',
    sentence:
      'The first way to ask a model: auto forks the live request, full sends the conversation, simple one text.',
    value: ({ mode }) => mode,
  },
  foreground: {
    member: 'imitates.foreground',
    label: '… while waited for',
    sentence: 'The same, while a request waits for it.',
    value: ({ foreground, mayWait }) => (mayWait === 0 ? none : foreground),
  },
  backOff: {
    member: 'summarize.backOff',
    label: 'backoff after a failure',
    sentence: 'The delay of the next summary after a failure, doubled each time up to the second value.',
    value: ({ backOff: { first, most } }) => (first === 0 ? none : `${span(first)} to ${span(most)}`),
  },
  autoContinue: {
    member: 'when.autoContinue',
    label: 'continues automatically',
    sentence: 'Whether work continues after a compaction between rounds; after an overflow it always does.',
    value: ({ autoContinue }) => isOn(autoContinue),
  },
  branchSummaries: {
    member: 'summarize.branches',
    label: 'summarizes branches',
    sentence: 'Whether moving to another branch adds a summary of the abandoned one automatically.',
    value: ({ branchSummaries }) => isOn(branchSummaries),
  },
};

/** One sentence for each preset. */
export const sentences: Readonly<Record<string, string>> = {
  longhaul: 'The default: prepared early, installed at a pause or with a cold cache, never waited for.',
  chat: 'Like VS Code Copilot Chat: started near 80 %, installed when ready, waited for when nothing fits.',
  cli: 'Like Copilot CLI: started at 80 %, installed when ready, waited for from 95 % on.',
  pi: 'Like pi: made when everything but the reserve is used, and waited for.',
};

function range([from, to]: readonly [number, number]): string {
  return from === to ? percent(from) : `${percent(from).replace(' %', '')} to ${percent(to)}`;
}

/**
 * A share as a percentage.
 *
 * @example
 * percent(0.785); // '78.5 %'
 */
function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`;
}

/**
 * Milliseconds in the largest fitting unit.
 *
 * @example
 * span(300_000); // '5 min'
 */
function span(ms: number): string {
  if (ms % 60_000 === 0 && ms > 0) return `${number(ms / 60_000)} min`;
  return `${number(Math.round(ms / 100) / 10)} s`;
}

const names = Object.keys(presets) as (keyof typeof presets)[];
const keys = Object.keys(fields) as (keyof typeof fields)[];

/** All presets as a table. `inForce` is the preset of the settings, with their changes. */
function presetTable({
  inForce,
  paint,
  width,
}: {
  readonly inForce: Policy;
  readonly paint: Paint;
  readonly width: number;
}): string[] {
  const heading = ['', ...names.map((name) => paint.strong(name === inForce.name ? `${name} *` : name))];
  const rows = keys.map((key) => [
    fields[key].label,
    ...names.map((name) => fields[key].value(flatPolicy(presets[name]))),
  ]);
  return [
    ...columns({ rows: [heading, ...rows], width }),
    '',
    ...columns({ rows: names.map((name) => [paint.strong(name), sentences[name] ?? '']), width }),
    '',
    ...forceLines({ inForce }),
    paint.faint('longhaul presets NAME explains each line.'),
  ];
}

/** One preset, with a sentence for each member. */
function presetLines({
  preset,
  inForce,
  paint,
}: {
  readonly preset: Policy;
  readonly inForce: Policy;
  readonly paint: Paint;
}): string[] {
  const flat = flatPolicy(preset);
  const explained = keys.flatMap((key) => {
    const { label, sentence, value } = fields[key];
    return [`${label}: ${paint.strong(value(flat))}`, paint.faint(`    ${sentence}`)];
  });
  const isChosen = preset.name === inForce.name;
  return [
    `${paint.strong(preset.name)}  ${sentences[preset.name] ?? ''}`,
    '',
    ...explained,
    ...(isChosen ? ['', ...forceLines({ inForce })] : []),
  ];
}

function forceLines({ inForce }: { readonly inForce: Policy }): string[] {
  const preset = flatPolicy(presets[inForce.name as keyof typeof presets]);
  const flat = flatPolicy(inForce);
  const changed = keys
    .filter((key) => fields[key].value(preset) !== fields[key].value(flat))
    .map((key) => `${fields[key].label}: ${fields[key].value(flat)}`);
  const but = changed.length === 0 ? '' : `, changed by your settings: ${changed.join('; ')}`;
  return [`* In force here: ${inForce.name}${but}.`];
}

/** `longhaul presets [NAME]`. */
export function addPresetsCommand({ program, bind }: { readonly program: Command; readonly bind: Bind }): void {
  const command = program
    .command('presets')
    .description(
      'Shows what each preset does: when a summary is started and installed, what waits for it, what is kept. With NAME it explains one preset line by line.',
    )
    .usage('[NAME] [options]')
    .argument('[NAME]', Object.keys(presetsByName).join(', '));
  addSettingFlags({
    command,
    keys: [
      'compaction.preset',
      'compaction.automatic',
      'compaction.threshold',
      'compaction.reserve',
      'compaction.keepRecent',
      'compaction.autoContinue',
      'compaction.branchSummaries',
    ],
  });
  command.addHelpText(
    'after',
    `\n${examplesHelp({
      examples: [
        ['longhaul presets', 'all of them in a table'],
        ['longhaul presets cli', 'one of them, line by line'],
        ['longhaul presets --json', 'as JSON, with the preset in force and your changes'],
      ],
    })}`,
  );
  bind<object>({ command, action: showPresets });
}

const showPresets: CommandAction<object> = async (invocation) => {
  const { io, args, settings } = invocation;
  const [wanted] = args;
  const one = wanted === undefined ? undefined : presetNamed(wanted);
  const { values } = await settings();
  const paint = invocation.paint('stdout');
  const inForce = policyOf({ values, env: io.env });
  await printResult({
    fits: true,
    invocation,
    value: { inForce: flatPolicy(inForce), presets: (one ? [one] : Object.values(presetsByName)).map(flatPolicy) },
    lines: () =>
      one ? presetLines({ preset: one, inForce, paint }) : presetTable({ inForce, paint, width: tableWidth(io) }),
  });
  return 0;
};

function presetNamed(wanted: string): Policy {
  const all: readonly Policy[] = Object.values(presetsByName);
  const found = all.find(({ name }) => name === wanted.toLowerCase());
  if (found) return found;
  const names = Object.keys(presetsByName);
  const near = closest({ word: wanted, candidates: names });
  throw new LonghaulError({
    code: 'bad-usage',
    message: `Unknown preset "${wanted}".${near === undefined ? '' : ` Did you mean "${near}"?`}`,
    hint: `Use one of ${names.join(', ')}.`,
  });
}
