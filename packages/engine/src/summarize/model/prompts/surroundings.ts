import { type Mask, sectionNames } from '../../../analysis/index.ts';
import type { Narrative, SummaryInput } from '../../summarizer.ts';
import { stateLines } from '../../working-state.ts';
import { between, escaped, tags } from './tags.ts';

/** Maximum characters of the working state and of a hook's context. */
const most = { state: 12_000, context: 12_000 };

/**
 * What a request contains besides the conversation: the earlier summary, the working state (D13, D22: active agent, plan,
 * todos, skills, open notebook) and a hook's context. All of it is quoted as data.
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
  /** False if the conversation contains it anyway. */
  readonly withPrevious: boolean;
}): string[] {
  const earlier = withPrevious && previous ? narrativeText(previous.narrative) : '';
  const added = context.map((text) => `- ${text}`).join('\n');
  return [
    ...(earlier === '' ? [] : [between(tags.previous, escaped(mask(earlier)))]),
    ...(state === undefined ? [] : [between(tags.state, escaped(mask(cut(stateLines(state).join('\n'), most.state))))]),
    ...(added === '' ? [] : [between(tags.context, escaped(mask(cut(added, most.context))))]),
  ];
}

/** A narrative in the form that models are asked for. */
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
