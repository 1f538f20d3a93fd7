import type { Json } from './json.ts';
import { missing, refuse } from './openai-error.ts';
import { notFound, resolves, typeOf } from './openai-responses-items.ts';
import type { Finding, JudgeOptions } from './verdict.ts';

interface Input {
  items: readonly Json[];
  stored: boolean;
  options: JudgeOptions;
}

/** Reasoning items: sealed or stored, and followed by what they led to. */
export function judgeReasoning({ items, stored, options }: Input): Finding {
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

function judgeSeal({ item, path, options }: { item: Json; path: string; options: JudgeOptions }): Finding {
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

function judgeReasoningItem({ items, at, stored, options }: Input & { at: number }): Finding {
  const path = `input[${at}]`;
  const item = items[at];
  if (!item) return undefined;
  // Sealed reasoning travels without its id (several clients drop it); stored reasoning is found by nothing else.
  if (typeof item.encrypted_content !== 'string') {
    if (item.id === undefined) return missing(`${path}.id`);
    const id = String(item.id);
    if (!resolves({ id, stored, options })) return notFound({ id, stored, path });
  }
  const next = items[at + 1];
  // A second reasoning item does not count: of two in a row the first was refused (inspect_ai #1990, codex #1235).
  if (next && isModelOutput(next)) return undefined;
  const name = item.id === undefined ? `at input[${at}]` : `'${String(item.id)}'`;
  return refuse({
    path,
    param: 'input',
    message: `Item ${name} of type 'reasoning' was provided without its required following item.`,
  });
}

/** Output items whose type does not end in `_call`; a reference may stand for any of them. */
const otherOutputs = new Set(['item_reference', 'compaction', 'program', 'mcp_approval_request', 'mcp_list_tools']);

function isModelOutput(item: Json): boolean {
  const type = typeOf(item);
  if (type === 'message') return item.role === 'assistant';
  return type.endsWith('_call') || otherOutputs.has(type);
}

/** A stored item must come back with the reasoning it was made with; unstored ids are not looked up. */
function judgeRequired({
  item,
  ids,
  path,
  stored,
  options,
}: {
  item: Json;
  ids: ReadonlySet<unknown>;
  path: string;
  stored: boolean;
  options: JudgeOptions;
}): Finding {
  if (!stored || typeof item.id !== 'string') return undefined;
  const required = options.requiredReasoning?.get(item.id);
  if (required === undefined || ids.has(required)) return undefined;
  return refuse({
    path,
    param: 'input',
    message: `Item '${item.id}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${required}'.`,
  });
}
