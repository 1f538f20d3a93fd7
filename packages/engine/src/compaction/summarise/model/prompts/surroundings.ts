import type { Json } from '../../../../message/index.ts';
import { sectionNames } from '../../../extract/document/sections.ts';
import type { Mask } from '../../../secrets/mask.ts';
import type { Narrative, SummaryInput } from '../../summariser.ts';
import { between, escaped, tags } from './tags.ts';

/** What the agent works in and what a hook adds may be a book. */
const most = { state: 12_000, context: 12_000 };

/**
 * What a request says beside the conversation: the earlier summary, what the agent was working in (D22: plan, todos, an
 * open notebook), what a hook adds. All of it is data.
 *
 * @example
 * const texts = surroundings({ input, mask, withPrevious: true });
 */
export function surroundings({
  input: { previous, state, context = [] },
  mask,
  withPrevious,
}: {
  readonly input: Pick<SummaryInput, 'previous' | 'state' | 'context'>;
  readonly mask: Mask;
  /** False where the conversation holds it anyway. */
  readonly withPrevious: boolean;
}): string[] {
  const told = withPrevious && previous ? narrativeText(previous.narrative) : '';
  const added = context.map((text) => `- ${text}`).join('\n');
  return [
    ...(told === '' ? [] : [between(tags.previous, escaped(mask(told)))]),
    ...(state === undefined ? [] : [between(tags.state, escaped(mask(cut(written(state), most.state))))]),
    ...(added === '' ? [] : [between(tags.context, escaped(mask(cut(added, most.context))))]),
  ];
}

/** A narrative in the form in which it was asked for. */
export function narrativeText({ sections }: Narrative): string {
  return sectionNames
    .flatMap((name) => (sections[name] === undefined ? [] : [`## ${name}\n${sections[name]}`]))
    .join('\n');
}

function written(state: Json): string {
  return typeof state === 'string' ? state : JSON.stringify(state, undefined, 1);
}

function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text.slice(0, length).toWellFormed()}\n[… ${text.length - length} characters left out …]`;
}
