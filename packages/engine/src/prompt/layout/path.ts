import type { LayoutNode } from './node.ts';

/** The classes from the root to a node. */
export function pathOf(node: LayoutNode): unknown[] {
  const path: unknown[] = [];
  for (let at: LayoutNode | undefined = node; at; at = at.parent) path.unshift(at.ctor);
  return path;
}

/** A path as people read it: `Prompt > History > UserMessage`. */
export function pathText(path: readonly unknown[]): string {
  return path.map(nameOf).join(' > ');
}

function nameOf(ctor: unknown): string {
  if (typeof ctor === 'string') return ctor;
  return ctor ? (ctor as { readonly name?: string }).name || '<anonymous>' : String(ctor);
}

/** Errors that say already where they come from. */
const told = new WeakSet<Error>();

/** Says in an error which element it comes from; not in a cancellation, which is expected (editor.md 1.16). */
export function annotated(error: unknown, node: LayoutNode): unknown {
  if (error instanceof Error && !told.has(error) && error.constructor.name !== 'CancellationError') {
    told.add(error);
    // The message of some errors cannot be written, and must not be hidden by that.
    Reflect.set(error, 'message', `${error.message} (at tsx element ${pathText(pathOf(node))})`);
  }
  return error;
}
