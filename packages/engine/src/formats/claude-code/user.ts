import { isObject, type JsonObject } from '../../json.ts';
import type { Part, ToolResultPart } from '../../message/index.ts';
import type { Draft } from '../../session/index.ts';
import { messageOf, readUserContent } from './content.ts';
import { detailsOf, type Rest, speakerOf, type Whose } from './line.ts';

/** What a `user` line says, as drafts: results of tools, then what was said beside them. */
export interface ReadUser {
  readonly results: readonly Draft[];
  readonly said: readonly Draft[];
  /** The calls that are answered. */
  readonly calls: readonly string[];
  /** Whether anybody but the client speaks, which ends the answer before. */
  readonly isSpoken: boolean;
}

/**
 * Reads a `user` line: a prompt, results of tools, or what the client says in the user's role.
 *
 * @example
 * readUser({ raw, whose: 'person', restOf, names: new Map() }).said;
 */
export function readUser({
  raw,
  whose,
  restOf,
  names,
}: {
  readonly raw: JsonObject;
  readonly whose: Whose;
  readonly restOf: Rest;
  /** The tools whose results are still to come, by the id of the call. */
  readonly names: ReadonlyMap<string, string>;
}): ReadUser {
  const speaker = speakerOf({ raw, whose });
  const { results, said } = readUserContent({ content: messageOf(raw).content, speaker });
  const details = detailsOf({ ...restOf(raw), ...agentOf(raw) });
  const hasResults = results.length > 0;
  const named = results.map((result): ToolResultPart => {
    const name = names.get(result.callId);
    return name === undefined ? result : { ...result, name };
  });
  return {
    results: hasResults ? [message({ role: 'tool', parts: named, details })] : [],
    said:
      said.length > 0 || !hasResults
        ? [message({ role: 'user', parts: said, details: hasResults ? {} : details })]
        : [],
    calls: results.map(({ callId }) => callId),
    isSpoken: said.some(({ origin }) => origin === 'human' || origin === 'model'),
  };
}

function message({
  role,
  parts,
  details,
}: {
  readonly role: 'user' | 'tool';
  readonly parts: readonly Part[];
  readonly details: { readonly details?: JsonObject };
}): Draft {
  return { type: 'message', message: { role, parts }, ...details };
}

/** The copy of a result for the screen names the sub-agent that made it, whose lines are in a file of their own. */
function agentOf({ toolUseResult: copy }: JsonObject): JsonObject {
  return isObject(copy) && typeof copy.agentId === 'string' ? { agentId: copy.agentId } : {};
}
