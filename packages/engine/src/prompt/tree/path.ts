import type { Branch } from './node.ts';

/** Where a branch stands: the classes of elements from the root, and role numbers for messages. */
export function pathIn(branch: Branch): string {
  const parts: (string | number)[] = [];
  for (let at: Branch | undefined = branch; at; at = at.parent)
    parts.unshift(at.message ? at.message.role : at.name || '(anonymous)');
  return parts.join(' -> ');
}
