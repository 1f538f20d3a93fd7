/** A key, what it does, and how that is called in the list of keys. */
export interface Key {
  readonly keys: readonly string[];
  readonly what: string;
  readonly run: () => void;
}

/** Lets keys act wherever nobody is typing. */
export function listenToKeys({ keys }: { readonly keys: readonly Key[] }): void {
  const byKey = new Map(keys.flatMap((key) => key.keys.map((name) => [name, key] as const)));
  document.addEventListener('keydown', (event) => {
    // The page holds only what is seen, so the browser's own search would find next to nothing.
    const isFind = (event.ctrlKey || event.metaKey) && event.key === 'f';
    if (!isFind && (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))) return;
    const key = byKey.get(isFind ? '/' : event.key);
    if (!key || (event.key === 'Enter' && isControl(event.target))) return;
    event.preventDefault();
    key.run();
  });
}

/** What Enter is for already. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
}

function isTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'range';
  return target instanceof HTMLTextAreaElement;
}
