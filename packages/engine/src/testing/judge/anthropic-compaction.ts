import { invalid } from './anthropic-error.ts';
import type { JudgeFinding, JudgeOptions } from './findings.ts';
import { isArray, isObject, type JsonRecord } from './json.ts';

/** Supported edits, and the beta header that enables them. */
const edits: Record<string, string> = {
  clear_tool_uses_20250919: 'context-management-2025-06-27',
  clear_thinking_20251015: 'context-management-2025-06-27',
  compact_20260112: 'compact-2026-01-12',
};
const leastTrigger = 50_000;

/** "Empty string content is not allowed"; null is a failed compaction, and the block is ignored. */
export function judgeCompactionBlock({
  block,
  path,
  name,
}: {
  block: JsonRecord;
  path: string;
  name: string;
}): JudgeFinding {
  const { content } = block;
  if (content === undefined || content === null) return undefined;
  if (typeof content !== 'string') return invalid({ path, message: `${name}.content: Input should be a valid string` });
  if (content === '') return invalid({ path, message: `${name}.content: String should have at least 1 character` });
  return undefined;
}

/** Compaction and context editing are betas: without the header their fields and blocks are unknown. */
export function judgeBetas({ body, options }: { body: JsonRecord; options: JudgeOptions }): JudgeFinding {
  return judgeManagement({ body, options }) ?? judgeBlocksAllowed({ body, options });
}

function judgeManagement({ body, options }: { body: JsonRecord; options: JudgeOptions }): JudgeFinding {
  const { context_management: managed } = body;
  const path = 'context_management';
  if (managed === undefined || managed === null) return undefined;
  if (options.betas && !options.betas.some((beta) => Object.values(edits).includes(beta)))
    return invalid({ path, message: `${path}: Extra inputs are not permitted` });
  if (!isObject(managed)) return invalid({ path, message: `${path}: Input should be a valid dictionary` });
  if (managed.edits === undefined) return undefined;
  if (!isArray(managed.edits)) return invalid({ path, message: `${path}.edits: Input should be a valid list` });
  for (const [at, edit] of managed.edits.entries()) {
    const name = `${path}.edits.${at}`;
    const type = isObject(edit) ? String(edit.type) : '';
    const needed = Object.hasOwn(edits, type) ? edits[type] : undefined;
    if (needed === undefined || (options.betas && !options.betas.includes(needed)))
      return invalid({
        path,
        message: `${name}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${Object.keys(
          edits,
        )
          .map((tag) => `'${tag}'`)
          .join(', ')}`,
      });
    const trigger = isObject(edit) && isObject(edit.trigger) ? edit.trigger : undefined;
    if (type === 'compact_20260112' && trigger && Number(trigger.value) < leastTrigger)
      return invalid({
        path,
        message: `${name}.trigger.value: Input should be greater than or equal to ${leastTrigger}`,
      });
  }
  return undefined;
}

function judgeBlocksAllowed({ body, options }: { body: JsonRecord; options: JudgeOptions }): JudgeFinding {
  if (!options.betas || options.betas.some((beta) => beta.startsWith('compact-')) || !isArray(body.messages))
    return undefined;
  for (const [at, message] of body.messages.entries()) {
    const content = isObject(message) && isArray(message.content) ? message.content : [];
    const index = content.findIndex((block) => isObject(block) && block.type === 'compaction');
    if (index >= 0)
      return invalid({
        path: `messages[${at}].content[${index}]`,
        message: `messages.${at}.content.${index}: Input tag 'compaction' found using 'type' does not match any of the expected tags`,
      });
  }
  return undefined;
}
