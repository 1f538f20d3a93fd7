import { isArray, isObject, type Json, loneSurrogate } from './json.ts';
import { emptyArray, missing, refuse, unparsable, wrongType } from './openai-error.ts';
import { judgeItems } from './openai-responses-items.ts';
import { judgeOutputs } from './openai-responses-outputs.ts';
import { judgeResponsesParameters } from './openai-responses-parameters.ts';
import { judgeReasoning } from './openai-responses-reasoning.ts';
import { judgeTools } from './openai-tools.ts';
import { type Finding, firstOf, type JudgeOptions } from './verdict.ts';

/** The OpenAI Responses API. */
export function judgeOpenAIResponses({ body, options }: { body: unknown; options: JudgeOptions }): Finding {
  const broken = loneSurrogate(body);
  if (broken !== undefined || !isObject(body)) return unparsable(broken ?? '');
  return firstOf([
    () => judgeResponsesParameters(body),
    () => judgeRequest(body),
    () => judgeTools({ body, nested: false }),
    () => (isArray(body.input) ? judgeInput({ body, input: body.input, options }) : undefined),
  ]);
}

function judgeRequest(body: Json): Finding {
  const { model, input } = body;
  if (typeof model !== 'string' || model === '') return missing('model');
  // A stored prompt, response or conversation may stand for the input.
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

function judgeInput({ body, input, options }: { body: Json; input: unknown[]; options: JudgeOptions }): Finding {
  const finding = judgeItems({ input, stored: body.store !== false, options });
  if (finding) return finding;
  const items = input.filter(isObject);
  return firstOf([
    () => judgeReasoning({ items, stored: body.store !== false, options }),
    // What an earlier response called is not in this list; its server knows.
    () => judgeOutputs({ items, continued: body.previous_response_id != null || body.conversation != null }),
  ]);
}
