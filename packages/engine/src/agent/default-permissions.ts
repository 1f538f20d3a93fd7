import type { Permissions } from './permission.ts';

/** Where nobody was named who decides: reading inside the workspace, and nothing else. */
export const usualPermissions: Permissions = {
  decide: async ({ access, mustAsk, isApproved }) => {
    if (isApproved) return { allowed: true };
    if (mustAsk !== undefined)
      return { allowed: false, why: 'a hook wants somebody to be asked, and nobody is there.' };
    if (access.kind === 'none' || (access.kind === 'read' && !access.isOutside)) return { allowed: true };
    return { allowed: false, why: 'nobody was named who could allow it.' };
  },
};
