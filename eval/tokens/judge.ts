import { type Calibration, createCalibration, createLedger, type MessageCounter, type Prior } from 'longhaul/tokens';
import { type CountedSession, unseenIn } from './learn.ts';

/** Bounds over true sizes, one for each request. */
export interface Judged {
  /** Before any usage. */
  readonly before: readonly number[];
  /** The same of the conversation alone, without what the log does not hold; from 1,000 tokens on. */
  readonly conversation: readonly number[];
  /** With three reports or more, as the ledger has it: what was reported, and an estimate of what came since. */
  readonly after: readonly number[];
  /** With three reports or more, where a change of the prompt has voided what was reported. */
  readonly anew: readonly number[];
}

const enough = 3;

/** How the bound of a family compares to what was reported, in sessions that it was not learned from. */
export function judgeSession({
  session,
  prior,
  counter,
}: {
  readonly session: CountedSession;
  readonly prior: Prior;
  readonly counter: MessageCounter;
}): Judged {
  const unseen = unseenIn(session);
  const fresh = createCalibration({ prior });
  const calibration = createCalibration({ prior });
  const ledger = ledgerOf({ counter, calibration });
  const judged = { before: [] as number[], conversation: [] as number[], after: [] as number[], anew: [] as number[] };
  let segment: number | undefined;
  session.counted.forEach(({ tokens, messages, actual, segment: now }, index) => {
    const hidden = unseen.get(now) ?? 0;
    const { bound } = fresh.predict({ tokens, messages });
    judged.before.push((bound + hidden) / actual);
    if (actual - hidden >= 1_000) judged.conversation.push(bound / (actual - hidden));
    const request = session.requests[index];
    if (!request) return;
    const isSame = segment === now;
    if (!isSame) {
      ledger.truncate(0);
      ledger.setHead({ messages: request.head, tools: [] });
    }
    for (const message of request.messages.slice(ledger.length)) ledger.append({ message });
    if (index >= enough && isSame) judged.after.push(ledger.size().bound / actual);
    if (index >= enough) judged.anew.push((calibration.predict({ tokens, messages }).bound + hidden) / actual);
    ledger.report({ usage: { input: actual } });
    segment = now;
  });
  return judged;
}

function ledgerOf(of: { readonly counter: MessageCounter; readonly calibration: Calibration }) {
  return createLedger({ window: 1_000_000, ...of });
}
