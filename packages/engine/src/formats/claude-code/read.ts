import type { Entry } from '../../session/index.ts';
import { createChain } from '../chain.ts';
import type { LinesFormat } from '../format.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createWeaver } from '../log-builder.ts';
import type { Beside } from '../reading.ts';
import type { WarningList } from '../report.ts';
import { createTally } from '../tally.ts';
import { createAgents } from './agents.ts';
import { type Identity, identify } from './identity.ts';
import { timeOf } from './line.ts';
import { createThread } from './thread.ts';

/** A file of Claude Code: the conversation it is about, and those of sub-agents that stand in it. */
export const readClaudeCode: LinesFormat['read'] = ({ first, records, beginning, warnings }) => {
  const identity = identify({ first: first.value, beginning });
  const { key, header } = identity;
  return {
    format: 'claude-code',
    key,
    header,
    entries: ({ createdAt }) => readEntries({ records, identity, warnings, startedAt: createdAt }),
  };
};

async function* readEntries({
  records,
  identity,
  warnings,
  startedAt,
}: {
  readonly records: AsyncIterable<FileRecord>;
  readonly identity: Identity;
  readonly warnings: WarningList;
  readonly startedAt: number;
}): AsyncGenerator<Entry | Beside> {
  const tally = createTally({ warnings });
  const agents = createAgents({ identity, warnings, tally });
  const weaver = createWeaver({ idOf: createChain({ seed: `claude-code\n${identity.key}` }) });
  const whose = identity.agent === undefined ? 'person' : 'model';
  const main = createThread({ weaver, whose, warnings, tally, onCall: agents.called });
  let at = startedAt;
  for await (const { line: number, value: raw, bytes } of records) {
    at = timeOf(raw) ?? at;
    const line = { raw, number, bytes, at };
    if (agents.isTheirs(raw)) {
      yield* agents.take(line);
    } else {
      yield* main.take(line);
      yield* agents.heard(raw);
    }
  }
  yield* main.end();
  yield* agents.end();
  tally.report();
}
