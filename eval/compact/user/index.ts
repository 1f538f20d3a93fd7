import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { createTokenizer } from 'longhaul/tokens';
import { cutHistory, upTo } from '../fidelity/history.ts';
import { probedIn } from '../fidelity/index.ts';
import { type Share, shares } from '../fidelity/measure.ts';
import { isAnswered, type Probe } from '../fidelity/probe.ts';
import { textsOf } from '../fidelity/sent.ts';
import { throughCommand } from './command.ts';
import { type Continuity, continuityOf } from './continuity.ts';
import { type RulesFound, rulesIn, statedIn } from './rules.ts';

/** What of a session a user gets in one window. */
export interface UserOutcome {
  readonly session: string;
  readonly window: number;
  readonly installed: boolean;
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Of the context by our count: all of it, and the summary in it. */
  readonly tokens: number;
  readonly summary: number;
  readonly facts: Facts;
  /** The same facts in the session as it was imported, and in everything that was ever said in it. */
  readonly imported: Facts;
  readonly log: Facts;
  readonly rules: RulesFound;
  readonly continuity: Continuity;
  readonly missed: readonly string[];
}

interface Facts {
  readonly all: Share;
  readonly hard: Share;
}

/** Compacts each probed session with the command, and asks the probes and rules of what `longhaul context` prints. */
export async function userOutcomes({
  folder,
  windows,
}: {
  readonly folder: string;
  readonly windows: readonly number[];
}): Promise<readonly UserOutcome[]> {
  const { count } = await createTokenizer('o200k_base');
  const stated = statedIn(folder);
  const outcomes: UserOutcome[] = [];
  for (const { session, file, cut_entry_70pct: cut, probes } of probedIn(folder)) {
    const path = join(folder, file);
    const text = upTo({ text: readFileSync(path, 'utf8'), isLines: extname(path) === '.jsonl', cut });
    const { items, laterCalls } = await cutHistory({ path, cut });
    const whole = items.flatMap(({ message }) => textsOf(message)).join('\n');
    const earlier = items.flatMap(({ message }) =>
      message.parts.flatMap((part) => (part.type === 'tool_call' ? [part] : [])),
    );
    for (const window of windows) {
      const made = await throughCommand({ name: basename(file), text, window });
      const { installed, reason, tokensBefore, tokensAfter, after } = made;
      outcomes.push({
        session,
        window,
        installed,
        reason,
        tokensBefore,
        tokensAfter,
        tokens: count(after),
        summary: count(made.summary),
        facts: factsIn({ probes, text: after }),
        imported: factsIn({ probes, text: made.before }),
        log: factsIn({ probes, text: whole }),
        rules: rulesIn({ stated: stated.get(session), sent: after }),
        continuity: continuityOf({ earlier, later: laterCalls, whole, sent: after }),
        missed: probes
          .filter((probe) => !isAnswered({ probe, text: after }))
          .map(({ id, question, accept }) => `${id}: ${question} [${accept.join(' / ')}]`),
      });
    }
  }
  return outcomes;
}

function factsIn({ probes, text }: { readonly probes: readonly Probe[]; readonly text: string }): Facts {
  return shares({ probes, isFound: (probe) => isAnswered({ probe, text }) });
}
