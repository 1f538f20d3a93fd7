type Child = Node | string | false | undefined;

/** Properties of an element. */
interface Props {
  readonly class?: string;
  readonly title?: string;
  readonly href?: string;
  readonly src?: string;
  readonly type?: string;
  readonly data?: Readonly<Record<string, string | number>>;
  readonly aria?: Readonly<Record<string, string | number | boolean>>;
  readonly onClick?: (event: MouseEvent) => void;
}

/**
 * Creates an element. Text is inserted as text: session content is never parsed as HTML.
 *
 * @example
 * element('p', { class: 'note' }, 'It was ', element('b', {}, entry.name));
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  const { class: name, data = {}, aria = {}, onClick, ...attributes } = props;
  if (name !== undefined) made.className = name;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  for (const [key, value] of Object.entries(data)) made.dataset[key] = String(value);
  for (const [key, value] of Object.entries(aria))
    made.setAttribute(key === 'role' ? key : `aria-${key}`, String(value));
  if (onClick) made.addEventListener('click', onClick as EventListener);
  made.append(...children.filter((child) => child !== undefined && child !== false));
  return made;
}

/** A button of the page; its title shows its key. */
export function button({
  label,
  title,
  class: name = 'button',
  onClick,
}: {
  readonly label: string;
  readonly title: string;
  readonly class?: string;
  readonly onClick: (event: MouseEvent) => void;
}): HTMLButtonElement {
  return element('button', { class: name, type: 'button', title, aria: { label: title }, onClick }, label);
}

/** Coalesces calls until the next frame. */
export function inNextFrame(work: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      work();
    });
  };
}
