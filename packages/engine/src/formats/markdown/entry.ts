import { type CompactionEntry, type Entry, gistOf, type MessageEntry } from '../../session/index.ts';
import { firstWords } from '../../session/internal.ts';
import type { Survey } from '../export/survey.ts';
import type { Step, Traced } from '../export/trace.ts';
import { dayAndTime } from './head.ts';
import { partBlocks } from './message.ts';
import { folded, plain, prose, quoted } from './text.ts';

/** Entries whose effect comes with the epoch that stands on them. */
const causes: ReadonlySet<string> = new Set(['compaction', 'prune', 'context_edit']);

/**
 * Says each entry of a path in blocks of Markdown. It is told the next one too: an epoch says what a compaction replaced.
 *
 * @example
 * const blocksOf = createEntryBlocks({ survey });
 * const blocks = blocksOf({ entry, step, next });
 */
export function createEntryBlocks({
  survey,
}: {
  readonly survey: Survey;
}): (of: Traced & { readonly next: Traced | undefined }) => string[] {
  const tools = new Map<string, string>();
  let turns = 0;
  let isTold = false;

  return ({ entry, step, next }) => {
    const effect = next?.entry.type === 'epoch' && next.entry.parentId === entry.id ? next.step : undefined;
    const isEffect = isTold;
    isTold = causes.has(entry.type) && effect !== undefined;
    switch (entry.type) {
      case 'message':
        return messageBlocks(entry);
      case 'custom_message':
        return [line(entry, plain(entry.customType)), ...parts(entry.parts, entry)];
      case 'branch_summary':
        return [line(entry, 'what happened on a branch that was left'), quoted(prose({ text: entry.summary }))];
      case 'compaction':
        return compactionBlocks({ entry, step, effect });
      case 'prune':
      case 'context_edit':
        return [`${line(entry, plain(gistOf(entry).text))}${effect ? ` · ${placesOf(effect)}` : ''}`];
      case 'epoch':
        return isEffect ? [] : [line(entry, `what is sent changed: ${plain(entry.reason)} · ${tokens(step.context)}`)];
      case 'pin':
      case 'model_change':
      case 'thinking_change':
      case 'checkpoint': {
        const { kind, text } = gistOf(entry);
        return [line(entry, `${kind}: ${plain(firstWords({ text, length: 300 }))}`)];
      }
      default:
        return [];
    }
  };

  function messageBlocks(entry: MessageEntry): string[] {
    const { role, parts: said } = entry.message;
    for (const part of said) if (part.type === 'tool_call') tools.set(part.id, part.name);
    if (role === 'tool') return [anchor(entry), ...parts(said, entry)];
    const words = said.find((part) => part.type === 'text' && part.origin === 'human');
    const who = role === 'assistant' ? plain(entry.by?.name ?? 'model') : words ? 'human' : role;
    const blocks = [line(entry, `${who} · ${dayAndTime(entry.at)}`), ...parts(said, entry)];
    if (role !== 'user' || words?.type !== 'text') return blocks;
    turns += 1;
    return [`## ${turns}. ${plain(firstWords({ text: words.text, length: 80 }))}`, ...blocks];
  }

  function parts(list: MessageEntry['message']['parts'], { handle }: Entry): string[] {
    return partBlocks({ parts: list, handle: `@${handle}`, nameOf: (callId) => tools.get(callId) });
  }

  function compactionBlocks({
    entry,
    step,
    effect,
  }: {
    readonly entry: CompactionEntry;
    readonly step: Step;
    readonly effect: Step | undefined;
  }): string[] {
    const size = effect ? `${tokens(step.context)} before, ${tokens(effect.context)} after` : 'not in force';
    const kept = entry.firstKeptId === null ? undefined : survey.handleOf(entry.firstKeptId);
    const facts = [
      'compaction',
      ...(effect ? [placesOf(effect)] : []),
      ...(kept === undefined ? [] : [`verbatim from [@${kept}](#@${kept})`]),
      size,
    ];
    const summary = folded({ title: 'the summary in their place', body: quoted(prose({ text: entry.summary })) });
    return ['---', line(entry, facts.join(' · ')), summary, '---'];
  }

  function line(entry: Entry, what: string): string {
    const label = survey.labels.get(entry.id);
    const name = label === undefined ? '' : ` · *${plain(label)}*`;
    return `${anchor(entry)}**@${entry.handle}** ${what}${name}`;
  }
}

function anchor({ handle }: Entry): string {
  return `<a id="@${handle}"></a>`;
}

function placesOf({ replaced: { count, stretches } }: Step): string {
  const places = stretches.map(([first, last]) =>
    first === last ? `[@${first}](#@${first})` : `[@${first}](#@${first}) to [@${last}](#@${last})`,
  );
  const shown = places.length > 6 ? [...places.slice(0, 5), `${places.length - 5} more stretches`] : places;
  const messages = count === 1 ? '1 message' : `${count} messages`;
  return count === 0 ? 'replaced nothing' : `replaced ${messages}: ${shown.join(', ')}`;
}

function tokens(count: number): string {
  return `about ${count.toLocaleString('en')} tokens`;
}
