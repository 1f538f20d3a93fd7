import { isSpoken } from '../../analysis/index.ts';
import type { Message, ThinkingPart } from '../../message/index.ts';
import type { TargetModel } from '../../models/index.ts';

/** For models that stop and ask after a summary. */
const keepGoing =
  'The task is not finished because this summary begins here. Go on with it at once, where it stands, and do not ask whether to.';

/**
 * What some models want beside a summary (D16): a reminder to go on, or the last thought before the cut as the first
 * block after it, where the turn is still open and what stays begins without one. Everything else comes back as it is.
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
  /** What stays after the summary. */
  readonly kept: readonly Message[];
  /** What the summary stands for. */
  readonly replaced: readonly Message[];
  readonly model: Pick<TargetModel, 'dialect' | 'info'>;
}): { readonly made: Message; readonly kept: readonly Message[] } {
  const { quirks } = model.info;
  return {
    made: quirks.includes('keepGoingReminder') ? reminded(made) : made,
    kept: quirks.includes('reattachLastThinking') ? rethought({ kept, replaced, dialect: model.dialect }) : kept,
  };
}

function reminded(made: Message): Message {
  return { ...made, parts: [...made.parts, { type: 'text', origin: 'engine', text: keepGoing }] };
}

function rethought(of: {
  readonly kept: readonly Message[];
  readonly replaced: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): readonly Message[] {
  const first = of.kept.findIndex(({ role }) => role === 'assistant');
  const answer = of.kept[first];
  // Whoever spoke before the first answer began another turn, and the thoughts of the last one are over.
  const isOpen = !of.kept.slice(0, Math.max(0, first)).some(isSpoken);
  if (!answer || !isOpen || answer.parts.some(({ type }) => type === 'thinking')) return of.kept;
  const thought = lastThought(of);
  if (!thought) return of.kept;
  return of.kept.with(first, { ...answer, parts: [thought, ...answer.parts] });
}

/** The newest thought of the turn that the cut goes through; those of finished turns are not looked at (editor.md 3.8). */
function lastThought(of: {
  readonly replaced: readonly Message[];
  readonly dialect: TargetModel['dialect'];
}): ThinkingPart | undefined {
  const turn = of.replaced.slice(of.replaced.findLastIndex(isSpoken) + 1);
  return turn
    .flatMap(({ parts }) => parts)
    .findLast(
      (part): part is ThinkingPart =>
        part.type === 'thinking' && part.wire?.dialect === of.dialect && part.signature !== undefined,
    );
}
