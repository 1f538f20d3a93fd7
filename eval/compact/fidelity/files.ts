import type { Message } from 'longhaul/message';

/** The names that agents give to a path among the arguments of their file tools. */
const names = ['path', 'file_path', 'filePath', 'absolute_path', 'notebook_path', 'target_file'];
const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/**
 * The files that tools read or changed, each once: not where they failed, nor what they only searched, nor folders, nor
 * what a shell touched. Written apart from the engine's own reading of calls, so that it can judge it.
 */
export function pathsIn(messages: readonly Message[]): string[] {
  const parts = messages.flatMap((message) => message.parts);
  const failed = new Set(parts.flatMap((part) => (part.type === 'tool_result' && part.isError ? [part.callId] : [])));
  const paths = parts.flatMap((call) => {
    if (call.type !== 'tool_call' || failed.has(call.id)) return [];
    if (call.freeform) return patchedIn(call.arguments);
    const args = objectIn(call.arguments);
    if ('pattern' in args) return [];
    const given = names.map((name) => args[name]).find((value) => typeof value === 'string');
    const patch = Object.values(args).find((value) => typeof value === 'string' && value.startsWith('*** Begin Patch'));
    return [...(typeof given === 'string' ? [given] : []), ...(typeof patch === 'string' ? patchedIn(patch) : [])];
  });
  return [...new Set(paths)].filter((path) => /[^\\/]\.\w+$/.test(path));
}

function patchedIn(patch: string): string[] {
  return [...patch.matchAll(patched)].map(([, path = '']) => path.trim());
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
