import type { LayoutNode } from './node.ts';

/** Classes from the root to a node. */
export function pathOf(node: LayoutNode): unknown[] {
  const path: unknown[] = [];
  for (let at: LayoutNode | undefined = node; at; at = at.parent) path.unshift(at.ctor);
  return path;
}

/** A readable path: `Prompt > History > UserMessage`. */
export function pathText(path: readonly unknown[]): string {
  return path.map(nameOf).join(' > ');
}

function nameOf(ctor: unknown): string {
  if (typeof ctor === 'string') return ctor;
  return ctor ? (ctor as { readonly name?: string }).name || '<anonymous>' : String(ctor);
}

/** Errors that already name their element. */
const annotatedErrors = new WeakSet<Error>();

/** Adds the element to an error message; not for cancellations, which are expected (editor.md 1.16). */
export function annotated(error: unknown, node: LayoutNode): unknown {
  if (error instanceof Error && !annotatedErrors.has(error) && error.constructor.name !== 'CancellationError') {
    annotatedErrors.add(error);
    // Some errors have a read-only message; that must not hide the error.
    Reflect.set(error, 'message', `${error.message} (at tsx element ${pathText(pathOf(node))})`);
  }
  return error;
}
