import type { Json } from './json.ts';
import { refuse } from './openai-error.ts';
import type { Finding } from './verdict.ts';

/** Call type -> what the API calls it in its errors; the output's type is the call's with `_output`. */
const calls: Record<string, string> = {
  function_call: 'function call',
  custom_tool_call: 'custom tool call',
  local_shell_call: 'local shell call',
  shell_call: 'shell call',
  apply_patch_call: 'apply patch call',
  computer_call: 'computer call',
};

/** Every call has one output somewhere behind it, and every output a call before it. */
export function judgeOutputs({ items, continued }: { items: readonly Json[]; continued: boolean }): Finding {
  const open = new Map<string, { path: string; label: string }>();
  const made = new Set<string>();
  const answered = new Set<string>();
  let elsewhere = continued;
  for (const [at, item] of items.entries()) {
    const path = `input[${at}]`;
    const type = String(item.type);
    // A reference may stand for the call.
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

/** Two items with one call_id: no wording was found, but nothing says which of them would count. */
function duplicate({ id, label, path }: { id: string; label: string; path: string }): Finding {
  return refuse({ path, param: 'input', message: `Duplicate ${label} found with call_id ${id}.` });
}
