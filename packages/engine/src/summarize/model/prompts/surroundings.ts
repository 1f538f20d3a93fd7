import { type Mask, sectionNames } from '../../../analysis/index.ts';
import type { Narrative, SummaryInput } from '../../summarizer.ts';
import { stateLines } from '../../working-state.ts';
import { between, escaped, tags } from './tags.ts';

/** What the agent works in and what a hook adds may be a book. */
const most = { state: 12_000, context: 12_000 };

/**
 * What a request says beside the conversation: the earlier summary, the working state (D13, D22: active agent, plan,
 * todos, skills, open notebook), what a hook adds. All of it is data.
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
    ...(state === undefined ? [] : [between(tags.state, escaped(mask(cut(stateLines(state).join('\n'), most.state))))]),
    ...(added === '' ? [] : [between(tags.context, escaped(mask(cut(added, most.context))))]),
  ];
}

/** A narrative in the form in which it was asked for. */
export function narrativeText({ sections }: Narrative): string {
  return sectionNames
    .flatMap((name) => (sections[name] === undefined ? [] : [`## ${name}\n${sections[name]}`]))
    .join('\n');
}

function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text.slice(0, length).toWellFormed()}\n[… ${text.length - length} characters left out …]`;
}
