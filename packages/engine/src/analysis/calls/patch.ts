/** What a patch does to one file. */
export interface FileChange {
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  /** For `write` the whole content; for `edit` the new text with its context lines. */
  readonly added: string;
  /** For `edit` the replaced text. */
  readonly removed: string;
}

const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/;

/**
 * The files of a patch in OpenAI's envelope (`*** Begin Patch`) or of a unified diff. A moved file is deleted in one place
 * and changed in the other.
 */
export function patchChanges(text: string): FileChange[] {
  return text.includes('*** ') ? envelopeChanges(text) : diffChanges(text);
}

interface ChangeDraft {
  path: string;
  op: FileChange['op'];
  readonly added: string[];
  readonly removed: string[];
}

function envelopeChanges(text: string): FileChange[] {
  const drafts: ChangeDraft[] = [];
  let current: ChangeDraft | undefined;
  for (const line of text.split('\n')) {
    const [, verb, path] = header.exec(line.trimEnd()) ?? [];
    if (verb !== undefined && path !== undefined) {
      if (verb === 'Move to') {
        if (current) drafts.push({ path: current.path, op: 'delete', added: [], removed: [] });
        if (current) current.path = path;
        continue;
      }
      const op = verb === 'Add File' ? 'write' : verb === 'Delete File' ? 'delete' : 'edit';
      current = { path, op, added: [], removed: [] };
      drafts.push(current);
    } else if (line.startsWith('*** ')) {
      if (!line.startsWith('*** End of File')) current = undefined;
    } else if (current) takeLine({ draft: current, line });
  }
  return drafts.map(finished);
}

function diffChanges(text: string): FileChange[] {
  const drafts: ChangeDraft[] = [];
  let current: ChangeDraft | undefined;
  let from = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('--- ')) from = diffPath(line);
    else if (line.startsWith('+++ ')) {
      const to = diffPath(line);
      const op = to === '/dev/null' ? 'delete' : from === '/dev/null' ? 'write' : 'edit';
      current = { path: op === 'delete' ? from : to, op, added: [], removed: [] };
      drafts.push(current);
    } else if (current && /^[ +-]/.test(line)) takeLine({ draft: current, line });
  }
  return drafts.map(finished);
}

function diffPath(line: string): string {
  const path = line.slice(4).split('\t')[0]?.trim() ?? '';
  return path.replace(/^[ab]\//, '');
}

function takeLine({ draft, line }: { readonly draft: ChangeDraft; readonly line: string }): void {
  const rest = line.slice(1);
  if (line.startsWith('+')) draft.added.push(rest);
  else if (line.startsWith('-')) draft.removed.push(rest);
  else if (line.startsWith(' ')) {
    draft.added.push(rest);
    draft.removed.push(rest);
  }
}

function finished({ path, op, added, removed }: ChangeDraft): FileChange {
  const ending = op === 'write' && added.length > 0 ? '\n' : '';
  return { path, op, added: `${added.join('\n')}${ending}`, removed: removed.join('\n') };
}
