import { isHumanMessage, type Message, type ThinkingPart } from '../../message/index.ts';
import type { TargetModel } from '../../models/index.ts';

/** For models that stop and ask for confirmation after a summary. */
const keepGoing =
  'The task is not finished because this summary begins here. Continue it immediately from its current state, and do not ask whether to.';

/**
 * Applies quirks of models after a summary (D16): a reminder to continue, or the last thinking block before the cut
 * reattached to the first kept answer if the turn is still open and the answer has none. Returns everything else unchanged.
 *
 * @example
 * const { made, kept } = afterSummary({ made, kept, replaced, model });
 */
export function afterSummary({
  made,
  kept,
  replaced,
  model,
}: {
  readonly made: Message;
  /** The messages kept after the summary. */
  readonly kept: readonly Message[];
  /** The messages that the summary replaces. */
  readonly replaced: readonly Message[];
  readonly model: Pick<TargetModel, 'dialect' | 'info'>;
}): { readonly made: Message; readonly kept: readonly Message[] } {
  const { quirks } = model.info;
  return {
    made: quirks.includes('keepGoingReminder') ? withReminder(made) : made,
    kept: quirks.includes('reattachLastThinking') ? withLastThinking({ kept, replaced, dialect: model.dialect }) : kept,
  };
}

function withReminder(made: Message): Message {
  return { ...made, parts: [...made.parts, { type: 'text', origin: 'engine', text: keepGoing }] };
}

function withLastThinking(of: {
  readonly kept: readonly Message[];
  readonly replaced: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): readonly Message[] {
  const first = of.kept.findIndex(({ role }) => role === 'assistant');
  const answer = of.kept[first];
  // A message before the first answer begins another turn, to which the last thinking does not belong.
  const isOpen = !of.kept.slice(0, Math.max(0, first)).some(isHumanMessage);
  if (!answer || !isOpen || answer.parts.some(({ type }) => type === 'thinking')) return of.kept;
  const thinking = lastThinking(of);
  if (!thinking) return of.kept;
  return of.kept.with(first, { ...answer, parts: [thinking, ...answer.parts] });
}

/** The newest thinking of the turn that the cut goes through, not of finished turns (editor.md 3.8). */
function lastThinking(of: {
  readonly replaced: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): ThinkingPart | undefined {
  const turn = of.replaced.slice(of.replaced.findLastIndex(isHumanMessage) + 1);
  return turn
    .flatMap(({ parts }) => parts)
    .findLast(
      (part): part is ThinkingPart =>
        part.type === 'thinking' && part.wire?.dialect === of.dialect && part.signature !== undefined,
    );
}
