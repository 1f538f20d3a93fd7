import { invalidArgument } from './gemini-error.ts';
import { field } from './gemini-parts.ts';
import { isArray, isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

export interface PlacedPart {
  part: Json;
  content: number;
  index: number;
}

export interface Turn {
  role: 'user' | 'model';
  at: number;
  parts: PlacedPart[];
}

/** Neighbours of one role are one turn: the genai SDK sends a model turn back as one content for each chunk. */
export function turnsOf(contents: readonly Json[]): Turn[] {
  const turns: Turn[] = [];
  for (const [at, content] of contents.entries()) {
    const role = content.role === 'model' ? 'model' : 'user';
    const last = turns.at(-1);
    const turn: Turn = last?.role === role ? last : { role, at, parts: [] };
    if (turn !== last) turns.push(turn);
    if (!isArray(content.parts)) continue;
    content.parts.forEach((part, index) => {
      if (isObject(part)) turn.parts.push({ part, content: at, index });
    });
  }
  return turns;
}

/** Who begins, who ends, and that calls and responses meet. */
export function judgeTurns(turns: readonly Turn[]): Finding {
  const first = turns[0];
  if (first?.role === 'model')
    return invalidArgument({
      path: 'contents[0]',
      message:
        callsOf(first).length > 0
          ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
          : // The service's own words are not on record; these are the chat helper's of Google's SDK.
            "First content should be with role 'user', got model",
    });
  for (const [at, turn] of turns.entries()) {
    const finding =
      turn.role === 'user'
        ? judgeResponses({ turn, calls: callsOf(turns[at - 1]) })
        : responsesOf(turn).length > 0
          ? misplaced(turn)
          : undefined;
    if (finding) return finding;
  }
  const last = turns.at(-1);
  if (last?.role !== 'model') return undefined;
  return invalidArgument({
    path: `contents[${last.at}]`,
    message:
      turns.length > 1
        ? 'Please ensure that multiturn requests ends with a user role or a function response.'
        : 'Please ensure that single turn requests end with a user role or the role field is empty.',
  });
}

function judgeResponses({ turn, calls }: { turn: Turn; calls: PlacedPart[] }): Finding {
  const responses = responsesOf(turn);
  if (calls.length === 0) return responses.length > 0 ? misplaced(turn) : undefined;
  if (responses.length !== calls.length)
    return invalidArgument({
      path: `contents[${turn.at}]`,
      message:
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    });
  // Other parts may follow the responses, but not come between them and their calls.
  if (turn.parts.findLastIndex(isResponse) >= responses.length) return misplaced(turn);
  return judgeNames({ calls, responses });
}

/** Each response takes one call of its name, and of its id where both have one. */
function judgeNames({ calls, responses }: { calls: PlacedPart[]; responses: PlacedPart[] }): Finding {
  const open = calls.map(({ part }) => part.functionCall ?? part.function_call).filter(isObject);
  for (const { part, content, index } of responses) {
    const response = field({ value: part, name: 'functionResponse' });
    if (!isObject(response)) continue;
    const at = open.findIndex(
      (call) =>
        call.name === response.name && (call.id === undefined || response.id === undefined || call.id === response.id),
    );
    if (at === -1)
      // No wording is on record for a response whose name or id meets no call; the count rule's is the nearest.
      return invalidArgument({
        path: `contents[${content}].parts[${index}]`,
        message: `Please ensure that function response parts match the function call parts of the function call turn: no function call \`${String(response.name)}\`${response.id === undefined ? '' : ` with id ${String(response.id)}`}.`,
      });
    open.splice(at, 1);
  }
  return undefined;
}

function misplaced(turn: Turn): Finding {
  return invalidArgument({
    path: `contents[${turn.at}]`,
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
  });
}

export function callsOf(turn: Turn | undefined): PlacedPart[] {
  if (turn?.role !== 'model') return [];
  return turn.parts.filter(({ part }) => part.functionCall !== undefined || part.function_call !== undefined);
}

function responsesOf(turn: Turn): PlacedPart[] {
  return turn.parts.filter(isResponse);
}

export function isResponse({ part }: PlacedPart): boolean {
  return part.functionResponse !== undefined || part.function_response !== undefined;
}
