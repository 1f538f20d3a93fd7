import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { codecs } from '../../message/index.ts';
import { digestOf } from '../digest.ts';
import type { ReadHeader } from '../reading.ts';
import type { Run } from '../runs.ts';
import { readTime } from '../time.ts';
import { idOf, textOf } from './content.ts';
import { eventsOf } from './record.ts';
import type { Report } from './report.ts';
import { createThread } from './thread.ts';
import { usagesOf } from './usage.ts';

/** A run as a session. It is written when it is over, so it is known by all that happened in it. */
export function runOf({ run, tally, warnings }: Report & { readonly run: JsonObject }): Run {
  const events = eventsOf(run);
  const { instance_id: instance, issue, metadata, metrics } = run;
  const config = isObject(metadata) && isObject(metadata.llm_config) ? metadata.llm_config : {};
  const name = idOf(instance) ?? (isObject(issue) ? textOf(issue.title) : '');
  return {
    key: `${name}/${digestOf(events)}`,
    header: {
      ...(name !== '' && { name }),
      ...begun(events),
      details: { ...toolsOf(events), openhands: { ...without(run, ['history', 'metrics']), ...summed(metrics) } },
    },
    *weave({ weaver, createdAt: startedAt }) {
      const known = { usages: usagesOf(metrics), model: textOf(config.model) || undefined };
      const thread = createThread({ weaver, startedAt, ...known, tally, warnings });
      for (const event of events) yield* thread.take({ event });
      yield* thread.end({ mayGrow: false });
    },
  };
}

/** A conversation as it is kept on disk, as a session. Which one it is its events do not say, but the first is its own. */
export function conversationOf(of: {
  readonly first: JsonObject;
  readonly events: Iterable<TakenEvent> | AsyncIterable<TakenEvent>;
  readonly mayGrow: boolean;
  readonly report: Report;
}): Run {
  const { first, events, mayGrow, report } = of;
  return {
    key: digestOf([first.id ?? null, first.timestamp ?? null]),
    header: { ...begun([first]), details: toolsOf([first]) },
    async *weave({ weaver, createdAt: startedAt }) {
      const thread = createThread({ weaver, startedAt, ...report });
      for await (const taken of events) yield* thread.take(taken);
      yield* thread.end({ mayGrow });
    },
  };
}

export interface TakenEvent {
  readonly event: JsonObject;
  readonly line?: number;
}

function begun([first]: readonly JsonObject[]): Pick<ReadHeader, 'createdAt'> {
  const createdAt = readTime(first?.timestamp);
  return createdAt === undefined ? {} : { createdAt };
}

/** The tools on offer, which stand beside the system prompt. Newer versions write there only what the tools are called. */
function toolsOf(events: readonly JsonObject[]): JsonObject {
  const listed = events.slice(0, 3).flatMap(({ args, tools }) => (isObject(args) ? args.tools : tools) ?? []);
  const told = listed.flat().filter((tool) => isObject(tool) && tool.type === 'function');
  const tools = codecs['openai-chat'].readTools({ tools: told });
  return tools.length > 0 ? { tools: tools as unknown as Json } : {};
}

/** What a run cost, without the lists that become notes beside the answers. */
function summed(metrics: Json | undefined): JsonObject {
  if (!isObject(metrics)) return {};
  const sums = Object.entries(metrics).filter(([, value]) => !isArray(value));
  return { metrics: Object.fromEntries(sums) };
}
