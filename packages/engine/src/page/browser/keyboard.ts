/** A key, its action, and its description in the help. */
export interface Key {
  readonly keys: readonly string[];
  readonly what: string;
  readonly run: () => void;
}

/** Handles keys unless the user is typing. */
export function listenToKeys({ keys }: { readonly keys: readonly Key[] }): void {
  const byKey = new Map(keys.flatMap((key) => key.keys.map((name) => [name, key] as const)));
  document.addEventListener('keydown', (event) => {
    // The page contains only visible rows, so the browser's own search would find almost nothing.
    const isFind = (event.ctrlKey || event.metaKey) && event.key === 'f';
    if (!isFind && (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))) return;
    const key = byKey.get(isFind ? '/' : event.key);
    if (!key || (event.key === 'Enter' && isControl(event.target))) return;
    event.preventDefault();
    key.run();
  });
}

/** Controls that handle Enter themselves. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'range';
  return target instanceof HTMLTextAreaElement;
}
