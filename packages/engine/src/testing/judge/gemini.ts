import { firstOf, type JudgeFinding, type JudgeOptions } from './findings.ts';
import { invalidArgument } from './gemini-error.ts';
import { badName, field, functionName, judgePart, unknownField } from './gemini-parts.ts';
import { canonical, isArray, isObject, type JsonRecord, loneSurrogate } from './json.ts';

/** Gemini's generateContent, streamGenerateContent and countTokens. */
export function judgeGemini({ body, options }: { body: unknown; options: JudgeOptions }): JudgeFinding {
  const broken = loneSurrogate(body);
  if (broken !== undefined || !isObject(body))
    return invalidArgument({ path: broken ?? '', message: 'Invalid JSON payload received. Unable to parse input.' });
  return firstOf([
    () => judgeParameters(body),
    () => judgeTools(body),
    () => judgeInstruction(body.systemInstruction ?? body.system_instruction),
    () => judgeContents(body.contents),
    () => judgeConversation({ contents: body.contents, options }),
  ]);
}

function judgeInstruction(instruction: unknown): JudgeFinding {
  if (instruction === undefined) return undefined;
  const path = 'systemInstruction';
  if (!isObject(instruction))
    return invalidArgument({ path, message: "Invalid value at 'system_instruction' (type.googleapis.com/Content)" });
  return judgeParts({ parts: instruction.parts, path, name: 'GenerateContentRequest.system_instruction' });
}

function judgeContents(contents: unknown): JudgeFinding {
  if (!isArray(contents) || contents.length === 0)
    return invalidArgument({
      path: 'contents',
      message: '* GenerateContentRequest.contents: contents is not specified\n',
    });
  for (const [at, content] of contents.entries()) {
    const path = `contents[${at}]`;
    if (!isObject(content)) return invalidArgument({ path, message: `Invalid value at '${path}'` });
    const finding =
      unknownField({ value: content, known: ['role', 'parts'], path }) ??
      judgeRole({ content, path }) ??
      judgeParts({ parts: content.parts, path, name: `GenerateContentRequest.contents[${at}]` });
    if (finding) return finding;
  }
  return undefined;
}

function judgeRole({ content, path }: { content: JsonRecord; path: string }): JudgeFinding {
  // "Must be either 'user' or 'model'. If not set, the service will default to 'user'"; 'function' is the older user.
  const { role } = content;
  if (role === undefined || role === 'user' || role === 'model' || role === 'function') return undefined;
  return invalidArgument({ path, message: 'Please use a valid role: user, model.' });
}

function judgeParts({ parts, path, name }: { parts: unknown; path: string; name: string }): JudgeFinding {
  if (!isArray(parts) || parts.length === 0)
    return invalidArgument({ path: `${path}.parts`, message: `* ${name}.parts: contents.parts must not be empty.\n` });
  for (const [at, part] of parts.entries()) {
    const finding = judgePart({ part, path: `${path}.parts[${at}]`, name: `${name}.parts[${at}]` });
    if (finding) return finding;
  }
  return undefined;
}

function judgeConversation({ contents, options }: { contents: unknown; options: JudgeOptions }): JudgeFinding {
  const all = turnsOf(isArray(contents) ? contents.filter(isObject) : []);
  const turns = options.repeatedResponses ? all.map(withoutRepeated) : all;
  return judgeTurns(turns) ?? judgeSignatures({ turns, options });
}

/** Function declarations: valid and unique names. */
function judgeTools(body: JsonRecord): JudgeFinding {
  if (body.tools === undefined) return undefined;
  if (!isArray(body.tools)) return invalidArgument({ path: 'tools', message: "Invalid value at 'tools'" });
  const names = new Set<string>();
  for (const [at, tool] of body.tools.entries()) {
    const declarations = isObject(tool) ? field({ value: tool, name: 'functionDeclarations' }) : undefined;
    for (const [index, declaration] of (isArray(declarations) ? declarations : []).entries()) {
      const path = `tools[${at}].functionDeclarations[${index}]`;
      const name = `GenerateContentRequest.tools[${at}].function_declarations[${index}].name`;
      if (!isObject(declaration) || typeof declaration.name !== 'string' || !functionName.test(declaration.name))
        return badName({ path, name });
      if (names.has(declaration.name))
        return invalidArgument({ path, message: `Duplicate function declaration found: ${declaration.name}` });
      names.add(declaration.name);
    }
  }
  return undefined;
}

/**
 * Fields that the SDK sends besides `generationConfig`, for the Gemini API and for Vertex; the service also accepts
 * snake case.
 */
const known = new Set([
  ...['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'generationConfig'],
  ...['cachedContent', 'labels', 'serviceTier', 'store', 'modelArmorConfig', 'continuationToken'],
  ...['automaticContinuation', 'generationOutputConfig', 'outputConfig', 'generateContentRequest'],
]);

/** Parameters besides the contents. "Unknown name" is the real wording; that of the ranges is close, from memory. */
function judgeParameters(body: JsonRecord): JudgeFinding {
  const path = Object.keys(body).find((key) => !known.has(camel(key)));
  if (path !== undefined)
    return invalidArgument({
      path,
      message: `Invalid JSON payload received. Unknown name "${path}": Cannot find field.`,
    });
  const config = body.generationConfig ?? body.generation_config;
  if (config === undefined || config === null) return undefined;
  if (!isObject(config))
    return invalidArgument({
      path: 'generationConfig',
      message: "Invalid value at 'generation_config' (type.googleapis.com/GenerationConfig)",
    });
  return (
    judgeRange({ value: config.temperature, camelName: 'temperature', name: 'temperature', max: 2 }) ??
    judgeRange({ value: config.topP ?? config.top_p, camelName: 'topP', name: 'top_p', max: 1 })
  );
}

function judgeRange({
  value,
  camelName,
  name,
  max,
}: {
  value: unknown;
  camelName: string;
  name: string;
  max: number;
}): JudgeFinding {
  if (typeof value !== 'number' || (value >= 0 && value <= max)) return undefined;
  return invalidArgument({
    path: `generationConfig.${camelName}`,
    message: `* GenerateContentRequest.generation_config.${name}: ${name} must be in the range [0.0, ${max}.0].\n`,
  });
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Values that Google documents for history from elsewhere: the validator accepts them. */
const dummies = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/**
 * Thought signatures of the current turn, which starts at the last user content that is more than function responses.
 * Earlier turns are not validated (Gemini 3 thought signature guide).
 */
function judgeSignatures({ turns, options }: { turns: readonly JudgedTurn[]; options: JudgeOptions }): JudgeFinding {
  const start = turns.findLastIndex((turn) => turn.role === 'user' && !turn.parts.every(isResponse));
  for (const turn of turns.slice(start + 1)) {
    if (turn.role !== 'model') continue;
    const first = callsOf(turn)[0];
    if (options.signedCalls && first && signatureOf(first) === undefined) return unsigned(first);
    for (const placed of turn.parts) {
      const finding = judgeSignature({ placed, options });
      if (finding) return finding;
    }
  }
  return undefined;
}

function judgeSignature({ placed, options }: { placed: PlacedPart; options: JudgeOptions }): JudgeFinding {
  const signature = signatureOf(placed);
  if (signature === undefined || dummies.has(signature)) return undefined;
  const { part, content, index } = placed;
  const path = `contents[${content}].parts[${index}]`;
  const call = field({ value: part, name: 'functionCall' });
  // The signature of a text part does not cover its text: streams split that text over chunks.
  const text = isObject(call) ? canonical({ name: call.name, args: call.args ?? {} }) : '';
  const verify = options.verify ?? (() => signature !== '');
  return verify({ signature, text, path })
    ? undefined
    : invalidArgument({ path, message: 'Corrupted thought signature.' });
}

function unsigned({ part, content, index }: PlacedPart): JudgeFinding {
  const call = field({ value: part, name: 'functionCall' });
  const name = isObject(call) ? String(call.name) : '';
  return invalidArgument({
    path: `contents[${content}].parts[${index}]`,
    message: `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${content + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  });
}

function signatureOf({ part }: PlacedPart): string | undefined {
  const signature = field({ value: part, name: 'thoughtSignature' });
  return typeof signature === 'string' ? signature : undefined;
}

interface PlacedPart {
  part: JsonRecord;
  content: number;
  index: number;
}

interface JudgedTurn {
  role: 'user' | 'model';
  at: number;
  parts: PlacedPart[];
}

/** Adjacent contents of one role are one turn: the genai SDK sends a model turn back as one content per chunk. */
function turnsOf(contents: readonly JsonRecord[]): JudgedTurn[] {
  const turns: JudgedTurn[] = [];
  for (const [at, content] of contents.entries()) {
    const role = content.role === 'model' ? 'model' : 'user';
    const last = turns.at(-1);
    const turn: JudgedTurn = last?.role === role ? last : { role, at, parts: [] };
    if (turn !== last) turns.push(turn);
    if (!isArray(content.parts)) continue;
    content.parts.forEach((part, index) => {
      if (isObject(part)) turn.parts.push({ part, content: at, index });
    });
  }
  return turns;
}

/** The turn without responses after the first ones that repeat all of their ids and names, in the same order. */
function withoutRepeated(turn: JudgedTurn): JudgedTurn {
  const responses = responsesOf(turn);
  const keys = responses.map(({ part }) => {
    const response = field({ value: part, name: 'functionResponse' });
    return isObject(response) && response.id !== undefined ? canonical([response.id, response.name]) : '';
  });
  const length = new Set(keys).size;
  const isRepetition = keys.length % length === 0 && keys.every((key, at) => key !== '' && key === keys[at % length]);
  if (!isRepetition) return turn;
  const repeated = new Set(responses.slice(length));
  return { ...turn, parts: turn.parts.filter((placed) => !repeated.has(placed)) };
}

/** Start and end of the conversation, and pairing of calls and responses. */
function judgeTurns(turns: readonly JudgedTurn[]): JudgeFinding {
  const first = turns[0];
  if (first?.role === 'model')
    return invalidArgument({
      path: 'contents[0]',
      message:
        callsOf(first).length > 0
          ? 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
          : // The wording of the service is not documented; this is the chat helper of Google's SDK.
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

function judgeResponses({ turn, calls }: { turn: JudgedTurn; calls: PlacedPart[] }): JudgeFinding {
  const responses = responsesOf(turn);
  if (calls.length === 0) return responses.length > 0 ? misplaced(turn) : undefined;
  if (responses.length !== calls.length)
    return invalidArgument({
      path: `contents[${turn.at}]`,
      message:
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    });
  // Other parts may follow the responses, but not precede them.
  if (turn.parts.findLastIndex(isResponse) >= responses.length) return misplaced(turn);
  return judgeNames({ calls, responses });
}

/** Each response matches one call by name, and by id if both have one. */
function judgeNames({ calls, responses }: { calls: PlacedPart[]; responses: PlacedPart[] }): JudgeFinding {
  const open = calls.map(({ part }) => part.functionCall ?? part.function_call).filter(isObject);
  for (const { part, content, index } of responses) {
    const response = field({ value: part, name: 'functionResponse' });
    if (!isObject(response)) continue;
    const at = open.findIndex(
      (call) =>
        call.name === response.name && (call.id === undefined || response.id === undefined || call.id === response.id),
    );
    if (at === -1)
      // No wording is documented for a response without a matching call; that of the count rule is the closest.
      return invalidArgument({
        path: `contents[${content}].parts[${index}]`,
        message: `Please ensure that function response parts match the function call parts of the function call turn: no function call \`${String(response.name)}\`${response.id === undefined ? '' : ` with id ${String(response.id)}`}.`,
      });
    open.splice(at, 1);
  }
  return undefined;
}

function misplaced(turn: JudgedTurn): JudgeFinding {
  return invalidArgument({
    path: `contents[${turn.at}]`,
    message: 'Please ensure that function response turn comes immediately after a function call turn.',
  });
}

function callsOf(turn: JudgedTurn | undefined): PlacedPart[] {
  if (turn?.role !== 'model') return [];
  return turn.parts.filter(({ part }) => part.functionCall !== undefined || part.function_call !== undefined);
}

function responsesOf(turn: JudgedTurn): PlacedPart[] {
  return turn.parts.filter(isResponse);
}

function isResponse({ part }: PlacedPart): boolean {
  return part.functionResponse !== undefined || part.function_response !== undefined;
}
