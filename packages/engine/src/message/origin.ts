import { originOfDataTag } from './data-part.ts';
import type { Origin, Role } from './message.ts';

/**
 * Tags in which agents wrap what they put into user messages, and who really wrote what is inside. From recorded traffic
 * and session files of Claude Code, Codex, Copilot, Gemini CLI, qwen-code, Cline and opencode.
 */
const clientTags: ReadonlyMap<string, Origin> = new Map([
  ...tags('engine', [
    'system-reminder',
    'system_reminder',
    'environment_context',
    'environment_details',
    'environment_info',
    'workspace_info',
    'user_instructions',
    'permissions',
    'collaboration_mode',
    'turn_aborted',
    'command-name',
    'command-message',
    'command-contents',
    'local-command-caveat',
    // What a client says when one of its own commands has run (`/exit`: Catch you later!).
    'local-command-stdout',
    'local-command-stderr',
    'task-notification',
    'subagent_notification',
    'session_context',
    'skill',
    'ide_opened_file',
    'ide_selection',
  ]),
  ...tags('tool', ['bash-stdout', 'bash-stderr']),
  ...tags('model', ['conversation-summary', 'state_snapshot', 'summary']),
  // What follows a slash command was typed by a person.
  ...tags('human', ['command-args', 'bash-input', 'user_shell_command']),
]);

/** Openings of texts that no person wrote and no tag encloses. */
const clientOpenings: readonly { readonly opening: string; readonly origin: Origin }[] = [
  { opening: 'Caveat: The messages below were generated', origin: 'engine' },
  { opening: '[Request interrupted by user', origin: 'engine' },
  // Summaries that a model wrote and a client puts into the user's mouth (Claude Code, Codex, pi).
  { opening: 'This session is being continued from a previous conversation', origin: 'model' },
  { opening: 'Another language model started to solve this problem', origin: 'model' },
  { opening: 'The conversation history before this point was compacted into the following summary', origin: 'model' },
];

/** True for a block of nothing but reminders, which clients add, move and drop between requests as they like. */
export function isReminder(text: string): boolean {
  const names = tagsAround(text.trimStart());
  return names.length > 0 && names.every((name) => name === 'system-reminder' || name === 'system_reminder');
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
      return writerOf(input.text.trimStart());
  }
}

/**
 * A text is not a person's only if it is nothing but a client's tagged blocks, none of which holds a person's words. A
 * text that contains a person's words in addition to such a block is the person's.
 */
function writerOf(text: string): Origin {
  const opening = clientOpenings.find((known) => text.startsWith(known.opening));
  if (opening) return opening.origin;
  if (text.startsWith('# AGENTS.md instructions') && text.includes('<INSTRUCTIONS>')) return 'engine';
  const origins = tagsAround(text).map((name) => originOfDataTag(name) ?? clientTags.get(name) ?? 'human');
  return origins.length === 0 || origins.includes('human') ? 'human' : (origins[0] ?? 'human');
}

/** The names of the tagged blocks that a text consists of; none if there is any text outside of them. */
function tagsAround(text: string): string[] {
  const names: string[] = [];
  let at = 0;
  while (text[at] === '<') {
    const end = text.indexOf('>', at);
    const name = end < 0 ? '' : (text.slice(at + 1, end).split(' ')[0] ?? '');
    const close = `</${name}`;
    const closed = name === '' ? -1 : text.indexOf(close, end);
    const after = closed < 0 ? -1 : text.indexOf('>', closed);
    if (after < 0) return [];
    names.push(name);
    at = after + 1;
    while (at < text.length && text[at]?.trim() === '') at += 1;
  }
  return at >= text.length ? names : [];
}

function tags(origin: Origin, names: readonly string[]): [string, Origin][] {
  return names.map((name) => [name, origin]);
}
