import { invalidArgument } from './gemini-error.ts';
import { judgeParameters } from './gemini-parameters.ts';
import { judgePart, unknownField } from './gemini-parts.ts';
import { judgeSignatures } from './gemini-signatures.ts';
import { judgeTools } from './gemini-tools.ts';
import { judgeTurns, turnsOf } from './gemini-turns.ts';
import { isArray, isObject, type Json, loneSurrogate } from './json.ts';
import { type Finding, firstOf, type JudgeOptions } from './verdict.ts';

/** Gemini's generateContent, streamGenerateContent and countTokens. */
export function judgeGemini({ body, options }: { body: unknown; options: JudgeOptions }): Finding {
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

function judgeInstruction(instruction: unknown): Finding {
  if (instruction === undefined) return undefined;
  const path = 'systemInstruction';
  if (!isObject(instruction))
    return invalidArgument({ path, message: "Invalid value at 'system_instruction' (type.googleapis.com/Content)" });
  return judgeParts({ parts: instruction.parts, path, name: 'GenerateContentRequest.system_instruction' });
}

function judgeContents(contents: unknown): Finding {
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

function judgeRole({ content, path }: { content: Json; path: string }): Finding {
  // "Must be either 'user' or 'model'. If not set, the service will default to 'user'"; 'function' is the older user.
  const { role } = content;
  if (role === undefined || role === 'user' || role === 'model' || role === 'function') return undefined;
  return invalidArgument({ path, message: 'Please use a valid role: user, model.' });
}

function judgeParts({ parts, path, name }: { parts: unknown; path: string; name: string }): Finding {
  if (!isArray(parts) || parts.length === 0)
    return invalidArgument({ path: `${path}.parts`, message: `* ${name}.parts: contents.parts must not be empty.\n` });
  for (const [at, part] of parts.entries()) {
    const finding = judgePart({ part, path: `${path}.parts[${at}]`, name: `${name}.parts[${at}]` });
    if (finding) return finding;
  }
  return undefined;
}

function judgeConversation({ contents, options }: { contents: unknown; options: JudgeOptions }): Finding {
  const turns = turnsOf(isArray(contents) ? contents.filter(isObject) : []);
  return judgeTurns(turns) ?? judgeSignatures({ turns, options });
}
