import { firstOf, type JudgeFinding, type JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord, loneSurrogate } from './json.ts';
import { emptyArray, missing, refuse, unparsable, wrongType } from './openai-error.ts';
import { judgeLength, judgeNumber, judgeStreamOptions } from './openai-range.ts';
import { judgeItems, notFound, resolves, typeOf } from './openai-responses-items.ts';
import { judgeTools } from './openai-tools.ts';

/** The OpenAI Responses API. */
export function judgeOpenAIResponses({ body, options }: { body: unknown; options: JudgeOptions }): JudgeFinding {
  const broken = loneSurrogate(body);
  if (broken !== undefined || !isObject(body)) return unparsable(broken ?? '');
  return firstOf([
    () => judgeResponsesParameters(body),
    () => judgeRequest(body),
    () => judgeTools({ body, nested: false }),
    () => (isArray(body.input) ? judgeInput({ body, input: body.input, options }) : undefined),
  ]);
}

function judgeRequest(body: JsonRecord): JudgeFinding {
  const { model, input } = body;
  if (typeof model !== 'string' || model === '') return missing('model');
  // A stored prompt, response or conversation may replace the input.
  const elsewhere = body.previous_response_id ?? body.prompt ?? body.conversation;
  if (input === undefined) return elsewhere == null ? missing('input') : undefined;
  if (typeof input !== 'string' && !isArray(input))
    return wrongType({ path: 'input', expected: 'one of a string or array of input items', value: input });
  if (isArray(input) && input.length === 0 && elsewhere == null) return emptyArray('input');
  if (body.previous_response_id != null && body.conversation != null)
    return refuse({
      path: 'previous_response_id',
      message: "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      code: 'mutually_exclusive_parameters',
    });
  return undefined;
}

function judgeInput({
  body,
  input,
  options,
}: {
  body: JsonRecord;
  input: unknown[];
  options: JudgeOptions;
}): JudgeFinding {
  const finding = judgeItems({ input, stored: body.store !== false, options });
  if (finding) return finding;
  const items = input.filter(isObject);
  return firstOf([
    () => judgeReasoning({ items, stored: body.store !== false, options }),
    // Calls of an earlier response are not in this list; its server knows them.
    () => judgeOutputs({ items, continued: body.previous_response_id != null || body.conversation != null }),
  ]);
}

/** Members of the SDK's types for create (stable and beta), compact and input tokens, and codex's `client_metadata`. */
const known = new Set([
  ...['access_programs', 'background', 'context_management', 'conversation', 'image', 'include', 'input'],
  ...['instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'model', 'moderation', 'multi_agent'],
  ...['parallel_tool_calls', 'personality', 'previous_response_id', 'prompt', 'prompt_cache_key'],
  ...['prompt_cache_options', 'prompt_cache_retention', 'reasoning', 'safety_identifier', 'service_tier', 'store'],
  ...['stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p'],
  ...['truncation', 'user', 'betas', 'client_metadata'],
]);

/** Parameter names of Chat Completions, and their place in Responses. */
const moved: Record<string, string> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
};

/**
 * Parameters besides the input; the wording is that of real errors, from memory. `parallel_tool_calls` needs no tools
 * here.
 */
function judgeResponsesParameters(body: JsonRecord): JudgeFinding {
  return firstOf([
    () => judgeNames(body),
    () => judgeNumber({ body, path: 'temperature', min: 0, max: 2 }),
    () => judgeNumber({ body, path: 'top_p', min: 0, max: 1 }),
    () => judgeNumber({ body, path: 'max_output_tokens', min: 16, kind: 'integer' }),
    () => judgeLength({ body, path: 'tools', limit: 128 }),
    () => judgeStreamOptions(body),
  ]);
}

function judgeNames(body: JsonRecord): JudgeFinding {
  const path = Object.keys(body).find((key) => !known.has(key));
  if (path === undefined) return undefined;
  const place = Object.hasOwn(moved, path) ? moved[path] : undefined;
  if (place === undefined) return refuse({ path, message: `Unknown parameter: '${path}'.`, code: 'unknown_parameter' });
  return refuse({
    path,
    message: `Unsupported parameter: '${path}'. In the Responses API, this parameter has moved to '${place}'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.`,
    code: 'unsupported_parameter',
  });
}

/** Call type -> its name in error messages; the type of the output is that of the call with `_output`. */
const calls: Record<string, string> = {
  function_call: 'function call',
  custom_tool_call: 'custom tool call',
  local_shell_call: 'local shell call',
  shell_call: 'shell call',
  apply_patch_call: 'apply patch call',
  computer_call: 'computer call',
};

/** Every call has one later output, and every output an earlier call. */
function judgeOutputs({ items, continued }: { items: readonly JsonRecord[]; continued: boolean }): JudgeFinding {
  const open = new Map<string, { path: string; label: string }>();
  const made = new Set<string>();
  const answered = new Set<string>();
  let elsewhere = continued;
  for (const [at, item] of items.entries()) {
    const path = `input[${at}]`;
    const type = String(item.type);
    // A reference may be the call.
    if (type === 'item_reference' || (item.type === undefined && item.role === undefined)) elsewhere = true;
    const label = calls[type.replace(/_output$/, '')];
    if (label === undefined) continue;
    const id = String(item.call_id ?? item.id);
    const key = `${label} ${id}`;
    if (type in calls) {
      if (made.has(key)) return duplicate({ id, label, path });
      made.add(key);
      open.set(key, { path, label: `${label} ${id}` });
      continue;
    }
    if (answered.has(key)) return duplicate({ id, label: `${label} output`, path });
    answered.add(key);
    if (!open.delete(key) && !elsewhere)
      return refuse({
        path,
        param: 'input',
        message: `No tool call found for ${label} output with call_id ${id}.`,
      });
  }
  const first = open.values().next().value;
  if (!first) return undefined;
  return refuse({ path: first.path, param: 'input', message: `No tool output found for ${first.label}.` });
}

/** Two items with the same call_id: no wording was found, but it would be ambiguous which one counts. */
function duplicate({ id, label, path }: { id: string; label: string; path: string }): JudgeFinding {
  return refuse({ path, param: 'input', message: `Duplicate ${label} found with call_id ${id}.` });
}

interface ReasoningInput {
  items: readonly JsonRecord[];
  stored: boolean;
  options: JudgeOptions;
}

/** Reasoning items: encrypted or stored, and followed by their output. */
function judgeReasoning({ items, stored, options }: ReasoningInput): JudgeFinding {
  const ids = new Set(items.map(({ id }) => id));
  for (const [at, item] of items.entries()) {
    const path = `input[${at}]`;
    const finding =
      judgeSeal({ item, path, options }) ??
      (item.type === 'reasoning' ? judgeReasoningItem({ items, at, stored, options }) : undefined) ??
      judgeRequired({ item, ids, path, stored, options });
    if (finding) return finding;
  }
  return undefined;
}

function judgeSeal({ item, path, options }: { item: JsonRecord; path: string; options: JudgeOptions }): JudgeFinding {
  const { encrypted_content: sealed } = item;
  if (typeof sealed !== 'string') return undefined;
  const verify = options.verify ?? (({ signature }) => signature !== '');
  if (verify({ signature: sealed, text: '', path })) return undefined;
  const what = typeof item.id === 'string' ? `for item ${item.id}` : `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
  return refuse({
    path,
    param: '',
    code: 'invalid_encrypted_content',
    message: `The encrypted content ${what} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
  });
}

function judgeReasoningItem({ items, at, stored, options }: ReasoningInput & { at: number }): JudgeFinding {
  const path = `input[${at}]`;
  const item = items[at];
  if (!item) return undefined;
  // Encrypted reasoning may be sent without its id (several clients drop it); stored reasoning is found by id only.
  if (typeof item.encrypted_content !== 'string') {
    if (item.id === undefined) return missing(`${path}.id`);
    const id = String(item.id);
    if (!resolves({ id, stored, options })) return notFound({ id, stored, path });
  }
  const next = items[at + 1];
  // A second reasoning item does not count: of two in a row the first was rejected (inspect_ai #1990, codex #1235).
  if (next && isModelOutput(next)) return undefined;
  const name = item.id === undefined ? `at input[${at}]` : `'${String(item.id)}'`;
  return refuse({
    path,
    param: 'input',
    message: `Item ${name} of type 'reasoning' was provided without its required following item.`,
  });
}

/** Output items whose type does not end in `_call`; a reference may be any of them. */
const otherOutputs = new Set(['item_reference', 'compaction', 'program', 'mcp_approval_request', 'mcp_list_tools']);

function isModelOutput(item: JsonRecord): boolean {
  const type = typeOf(item);
  if (type === 'message') return item.role === 'assistant';
  return type.endsWith('_call') || otherOutputs.has(type);
}

/** A stored item must be sent with the reasoning it was created with; unstored ids are not looked up. */
function judgeRequired({
  item,
  ids,
  path,
  stored,
  options,
}: {
  item: JsonRecord;
  ids: ReadonlySet<unknown>;
  path: string;
  stored: boolean;
  options: JudgeOptions;
}): JudgeFinding {
  if (!stored || typeof item.id !== 'string') return undefined;
  const required = options.requiredReasoning?.get(item.id);
  if (required === undefined || ids.has(required)) return undefined;
  return refuse({
    path,
    param: 'input',
    message: `Item '${item.id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${required}'.`,
  });
}
