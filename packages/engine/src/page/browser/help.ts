import { button, element } from './dom.ts';
import type { Key } from './keyboard.ts';

/** The keyboard help overlay. */
export function createHelp({ keys }: { readonly keys: () => readonly Key[] }): { readonly toggle: () => void } {
  const dialog = element('dialog', { class: 'help' });
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  return {
    toggle() {
      if (dialog.open) return dialog.close();
      dialog.replaceChildren(
        element('h2', {}, 'Keys'),
        element(
          'dl',
          {},
          ...keys().flatMap(({ keys: names, what }) => [
            element('dt', {}, ...names.map((name) => element('kbd', {}, shown.get(name) ?? name))),
            element('dd', {}, what),
          ]),
        ),
        button({ label: 'Close', title: 'Close (Escape)', onClick: () => dialog.close() }),
      );
      dialog.showModal();
    },
  };
}

const shown: ReadonlyMap<string, string> = new Map([
  ['ArrowDown', '↓'],
  ['ArrowUp', '↑'],
]);
