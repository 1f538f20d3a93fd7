import { element } from '../../../page/browser/dom.ts';

/** A slider with a label, keys and a description of its value. */
export class Slider {
  readonly element: HTMLElement;
  readonly #input = element('input', { class: 'slider', type: 'range' });
  readonly #said = element('output', { class: 'said' });

  constructor({
    label,
    keys,
    max,
    value,
    onInput,
  }: {
    readonly label: string;
    readonly keys: string;
    readonly max: number;
    readonly value: number;
    readonly onInput: (value: number) => void;
  }) {
    this.#input.min = '0';
    this.#input.max = String(max);
    this.#input.step = '1';
    this.#input.value = String(value);
    this.#input.setAttribute('aria-label', label);
    this.#input.addEventListener('input', () => onInput(Number(this.#input.value)));
    this.element = element(
      'label',
      { class: 'control', title: `${label} (${keys})` },
      element('span', { class: 'label' }, label),
      this.#input,
      this.#said,
    );
  }

  get value(): number {
    return Number(this.#input.value);
  }

  get max(): number {
    return Number(this.#input.max);
  }

  /** Sets the value without user input. */
  set({ value, said }: { readonly value: number; readonly said: string }): void {
    this.#input.value = String(value);
    this.#input.setAttribute('aria-valuetext', said);
    this.#said.textContent = said;
  }
}
