import type { Origin, Role } from './message.ts';

/**
 * Tags in which agents wrap text that they, not a human, put into user messages. From recorded traffic and session
 * files of Claude Code, Codex, Copilot, Gemini CLI, qwen-code, Cline and opencode.
 */
const clientTags: ReadonlySet<string> = new Set([
  'system-reminder',
  'system_reminder',
  'environment_context',
  'environment_details',
  'environment_info',
  'workspace_info',
  'user_instructions',
  'permissions instructions',
  'collaboration_mode',
  'turn_aborted',
  'command-name',
  'command-message',
  'command-args',
  'command-contents',
  'local-command-stdout',
  'local-command-stderr',
  'local-command-caveat',
  'bash-stdout',
  'bash-stderr',
  'task-notification',
  'conversation-summary',
  'session_context',
  'skill',
]);

/** Openings of client-made text that no tag encloses. */
const clientOpenings: readonly string[] = ['# AGENTS.md instructions', 'Caveat: The messages below were generated'];

/**
 * True when the whole text was put there by the client: nothing but its tagged blocks and white space. A text in which
 * a human's words stand beside such a block is the human's.
 */
function isClientMade(text: string): boolean {
  const trimmed = text.trimStart();
  if (clientOpenings.some((opening) => trimmed.startsWith(opening))) return true;
  return consistsOf(trimmed, (tag) => clientTags.has(tag));
}

/** True for a block of nothing but reminders, which clients add, move and drop between requests as they like. */
export function isReminder(text: string): boolean {
  return consistsOf(text.trimStart(), (tag) => tag === 'system-reminder' || tag === 'system_reminder');
}

/** Who wrote a text of this role, where the dialect does not say. */
export function originOf(input: { readonly role: Role; readonly text: string }): Origin {
  switch (input.role) {
    case 'system':
      return 'engine';
    case 'assistant':
      return 'model';
    case 'tool':
      return 'tool';
    case 'user':
      return isClientMade(input.text) ? 'engine' : 'human';
  }
}

function consistsOf(text: string, accepts: (tag: string) => boolean): boolean {
  let rest = text;
  let blocks = 0;
  while (rest.startsWith('<')) {
    const end = rest.indexOf('>');
    const tag = end < 0 ? '' : rest.slice(1, end);
    if (!accepts(tag)) return false;
    const close = `</${tag}>`;
    const at = rest.indexOf(close, end);
    if (at < 0) return false;
    rest = rest.slice(at + close.length).trimStart();
    blocks += 1;
  }
  return blocks > 0 && rest === '';
}
