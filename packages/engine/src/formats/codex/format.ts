import { isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Origin } from '../../message/index.ts';
import type { LinesFormat } from '../format.ts';
import { createChain, digestOf, sessionIdOf } from '../ids.ts';
import { headerPieces } from '../lines/header-pieces.ts';
import { createLogBuilder } from '../log-builder.ts';
import type { ParsedHeader } from '../parsed-session.ts';
import { readTime } from '../time.ts';
import { isRolloutLine, readLine } from './line.ts';
import { readRollout } from './read.ts';

/**
 * A rollout of Codex. Where its first line is torn or gone, the session is known by the id that is left of it, or by the
 * first line that can be read.
 *
 * @example
 * const reading = readCodex({ records, first, beginning, warnings });
 */
const readCodex: LinesFormat['read'] = ({ records, first, beginning, warnings }) => {
  const line = readLine(first.value);
  const meta = line?.kind === 'session_meta' ? line.payload : pieces(beginning);
  const key = typeof meta.id === 'string' ? meta.id : `entries:${digestOf(first.value)}`;
  if (line?.kind !== 'session_meta') {
    const message = 'The header is damaged; the session was taken from the lines after it.';
    warnings.add({ code: 'half-a-header', message, line: 1 });
  }
  const provider = typeof meta.model_provider === 'string' ? meta.model_provider : 'openai';
  return {
    format: 'codex',
    key,
    header: headerOf(meta),
    entries: ({ createdAt }) =>
      readRollout({
        records,
        builder: createLogBuilder({ idOf: createChain({ seed: `codex\n${key}` }) }),
        warnings,
        startedAt: createdAt,
        session: { id: key, provider, author: authorOf(meta.source) },
      }),
  };
};

function headerOf(meta: JsonObject): ParsedHeader {
  const { cwd, timestamp, agent_nickname: name, forked_from_id: origin } = meta;
  const createdAt = readTime(timestamp);
  const owner = ownerOf(meta);
  // The prompt is a message of the log.
  const rest = without(meta, ['id', 'cwd', 'timestamp', 'base_instructions']);
  return {
    ...(typeof cwd === 'string' && cwd !== '' && { cwd }),
    ...(typeof name === 'string' && { name }),
    ...(createdAt !== undefined && { createdAt }),
    ...(typeof origin === 'string' && { parent: { session: sessionIdOf({ format: 'codex', key: origin }) } }),
    ...(owner !== undefined && { owner: { session: sessionIdOf({ format: 'codex', key: owner }) } }),
    ...(rest && { details: { codex: rest } }),
  };
}

/** The thread that started this one as a sub-agent. */
function ownerOf({ source, parent_thread_id: parent }: JsonObject): string | undefined {
  const spawn = spawnOf(source);
  const id = isObject(spawn) ? spawn.parent_thread_id : undefined;
  if (typeof id === 'string') return id;
  return typeof parent === 'string' ? parent : undefined;
}

/** Who speaks in the user's role: the model that started a sub-agent, or Codex itself where it started one. */
function authorOf(source: Json | undefined): Origin {
  if (!isObject(source)) return 'human';
  if (spawnOf(source) !== undefined) return 'model';
  return source.subagent !== undefined || source.internal !== undefined ? 'engine' : 'human';
}

function spawnOf(source: Json | undefined): Json | undefined {
  const agent = isObject(source) ? source.subagent : undefined;
  return isObject(agent) ? agent.thread_spawn : undefined;
}

/** What is left of a torn header. */
function pieces(beginning: string): JsonObject {
  return headerPieces({ beginning, start: /"session_meta"/, names: ['id', 'cwd', 'timestamp', 'model_provider'] });
}

/** A rollout of the Codex CLI: those of today, and the bare items of versions before 0.32. */
export const codex: LinesFormat = {
  kind: 'lines',
  name: 'codex',
  isRecord: isRolloutLine,
  // The first line contains the prompt, so it may be too long to be parsed.
  startsLike: /^\{\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*(?:"ordinal"\s*:\s*\d+\s*,\s*)?"type"\s*:\s*"session_meta"/,
  read: readCodex,
};
