import { invalidArgument } from './gemini-error.ts';
import { field } from './gemini-parts.ts';
import { callsOf, isResponse, type PlacedPart, type Turn } from './gemini-turns.ts';
import { canonical, isObject } from './json.ts';
import type { Finding, JudgeOptions } from './verdict.ts';

/** Values that Google documents for history from elsewhere: the validator lets them pass. */
const dummies = new Set(['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']);

/**
 * Thought signatures of the current turn, which begins at the last user content that is more than function responses.
 * Earlier turns are not validated (Gemini 3 thought signature guide).
 */
export function judgeSignatures({ turns, options }: { turns: readonly Turn[]; options: JudgeOptions }): Finding {
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

function judgeSignature({ placed, options }: { placed: PlacedPart; options: JudgeOptions }): Finding {
  const signature = signatureOf(placed);
  if (signature === undefined || dummies.has(signature)) return undefined;
  const { part, content, index } = placed;
  const path = `contents[${content}].parts[${index}]`;
  const call = field({ value: part, name: 'functionCall' });
  // A text part's signature is not held against its text: streams split that text over chunks.
  const text = isObject(call) ? canonical({ name: call.name, args: call.args ?? {} }) : '';
  const verify = options.verify ?? (() => signature !== '');
  return verify({ signature, text, path })
    ? undefined
    : invalidArgument({ path, message: 'Corrupted thought signature.' });
}

function unsigned({ part, content, index }: PlacedPart): Finding {
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
