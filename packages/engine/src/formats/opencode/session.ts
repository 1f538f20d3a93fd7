import { isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Entry } from '../../session/index.ts';
import { createChain } from '../chain.ts';
import { digestOf } from '../digest.ts';
import { createWeaver } from '../log-builder.ts';
import type { ReadHeader } from '../reading.ts';
import type { WarningList } from '../report.ts';
import type { Tally } from '../tally.ts';
import { readTime } from '../time.ts';
import type { Stored } from './message.ts';
import { readOpencodeEntries, type SessionFacts } from './read.ts';

/** Titles that a session has until a model has made one up for it. */
const placeholder = /^(New|Child) session - \d{4}-/;

/** What `opencode export` says of a session, and what the row of a database says in its words. */
export type Info = JsonObject & { readonly id: string };

export function headerOf(info: Info): ReadHeader {
  const { directory } = info;
  const createdAt = readTime(isObject(info.time) ? info.time.created : undefined);
  // The rest changes while the session goes on.
  const kept = without(info, ['id', 'directory', 'title', 'time', 'summary', 'revert', 'permission', 'cost', 'tokens']);
  return {
    ...(typeof directory === 'string' && directory !== '' && { cwd: directory }),
    ...(createdAt !== undefined && { createdAt }),
    ...(kept && { details: { opencode: kept } }),
  };
}

/** The session that started this one to do a part of its work. */
export function parentOf({ parentID: parent }: Info): string | undefined {
  return typeof parent === 'string' ? parent : undefined;
}

/** The log of one session. `tasks` are the keys of what its owner asked of it. */
export function entriesOf({
  info,
  messages,
  tasks = new Set(),
  tally,
  warnings,
  startedAt,
}: {
  readonly info: Info;
  readonly messages: Iterable<Stored>;
  readonly tasks?: ReadonlySet<string>;
  readonly tally: Tally;
  readonly warnings: WarningList;
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  // The first that a sub-agent is told is its task; later a person may talk to it as well.
  let isFirst = parentOf(info) !== undefined;
  const isTask = (text: string) => {
    const isFirstText = isFirst;
    isFirst = false;
    return isFirstText || tasks.has(taskKey(text));
  };
  const weaver = createWeaver({ idOf: createChain({ seed: `opencode\n${info.id}` }) });
  return readOpencodeEntries({ messages, facts: factsOf(info), weaver, tally, warnings, isTask, startedAt });
}

/** A task without its text, which need not be kept in memory. */
export function taskKey(text: string): string {
  return digestOf(text);
}

function factsOf({ title, revert }: Info): SessionFacts {
  const { messageID: message, partID: part } = isObject(revert) ? revert : {};
  return {
    title: isTitle(title) ? title : undefined,
    revert: typeof message === 'string' ? { message, part: typeof part === 'string' ? part : undefined } : undefined,
  };
}

function isTitle(title: Json | undefined): title is string {
  return typeof title === 'string' && title !== '' && !placeholder.test(title);
}
