import type { Part } from '../../message/index.ts';
import type { Entry } from '../entry/entry.ts';

/** An entry in a few words: who speaks or what it is, and what is said. */
export interface Gist {
  readonly kind: string;
  readonly text: string;
}

/**
 * What an entry is about, for lists and trees.
 *
 * @example
 * gistOf(entry); // { kind: 'user', text: 'Fix the build.' }
 */
export function gistOf(entry: Entry): Gist {
  switch (entry.type) {
    case 'message':
      return { kind: entry.message.role, text: entry.message.parts.map(partGist).join(' ') };
    case 'custom_message':
      return { kind: entry.customType, text: entry.parts.map(partGist).join(' ') };
    case 'branch_summary':
      return { kind: 'branch summary', text: entry.summary };
    case 'compaction':
      return { kind: 'compaction', text: entry.shortSummary ?? entry.summary };
    case 'epoch':
      return { kind: 'epoch', text: `because of ${entry.reason}` };
    case 'prune':
      return { kind: 'prune', text: entry.targets.length === 1 ? '1 result' : `${entry.targets.length} results` };
    case 'pin':
      return { kind: 'pin', text: entry.text ?? (entry.removes === undefined ? '' : 'taken off') };
    case 'context_edit':
      return {
        kind: 'edit',
        text: entry.replacement === null ? 'left out' : entry.replacement.map(partGist).join(' '),
      };
    case 'model_change':
      return { kind: 'model', text: `${entry.model.provider}/${entry.model.name}` };
    case 'thinking_change':
      return { kind: 'thinking', text: entry.level };
    case 'checkpoint':
      return { kind: 'checkpoint', text: `${entry.number} ${entry.title}` };
    case 'label':
      return { kind: 'label', text: entry.label ?? 'taken off' };
    case 'leaf':
      return { kind: 'move', text: entry.target === null ? `${entry.reason} to the root` : entry.reason };
    case 'usage':
      return {
        kind: 'usage',
        text: `${entry.usage.input + entry.usage.cacheRead + entry.usage.cacheWrite} in, ${entry.usage.output} out`,
      };
    case 'session_info':
      return {
        kind: 'info',
        text: entry.info.name === undefined ? JSON.stringify(entry.info) : `name ${entry.info.name}`,
      };
    case 'working_state':
      return { kind: 'state', text: Object.keys(entry.state).join(', ') };
    case 'head_prompt':
      return { kind: 'prompt', text: 'head' };
    case 'tools_change':
      return { kind: 'tools', text: entry.tools?.map(({ name }) => name).join(', ') ?? '' };
    case 'window_limit':
      return { kind: 'limit', text: `${entry.model} ${entry.window}` };
    case 'summary_job':
      return { kind: 'summary', text: entry.narrative ? 'ready too late' : 'not installed' };
    case 'queued_prompt':
      return { kind: 'queued', text: entry.message.parts.map(partGist).join(' ') };
    case 'withdrawn_prompt':
      return { kind: 'queued', text: 'withdrawn' };
    case 'partial_answer':
      return { kind: 'partial', text: entry.message.parts.map(partGist).join(' ') };
    case 'provider_compaction':
      return { kind: 'provider', text: entry.name };
    case 'file_snapshot':
      return { kind: 'files', text: `${filesText(entry.files)} ${'call' in entry.cause ? 'kept' : 'rewound'}` };
    case 'file_change':
      return { kind: 'files', text: `${filesText(entry.files)} changed` };
    case 'tool_started':
      return { kind: 'started', text: entry.call };
    case 'custom':
      return { kind: 'custom', text: entry.customType };
    case 'unknown':
      return { kind: entry.kind, text: '' };
  }
}

function filesText(files: readonly unknown[]): string {
  return files.length === 1 ? '1 file' : `${files.length} files`;
}

function partGist(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'thinking':
      return part.text === '' ? '(thinks)' : `(thinks: ${part.text})`;
    case 'tool_call':
      return `${part.name}(${part.arguments})`;
    case 'tool_result':
      return part.content.map(partGist).join(' ') || '(no output)';
    case 'image':
    case 'document':
      return `[${part.type}]`;
    case 'opaque':
      return `[${part.kind}]`;
  }
}
