import type { ToolCallPart } from 'longhaul/message';

/** The names that agents give to a path among the arguments of their file tools. */
const names = ['path', 'file_path', 'filePath', 'absolute_path', 'notebook_path', 'target_file'];
const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/**
 * The files that tools were given to read or change, each once. Written apart from the engine's own reading of calls, so
 * that it can judge it; folders and what a shell touches are not counted.
 */
export function pathsIn(calls: readonly ToolCallPart[]): string[] {
  const paths = calls.flatMap((call) => {
    if (call.freeform) return patchedIn(call.arguments);
    const args = objectIn(call.arguments);
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
