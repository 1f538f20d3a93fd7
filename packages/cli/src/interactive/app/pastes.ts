/** Shorter pastes are inserted as they are. */
const shortLines = 10;
const shortChars = 1_000;

/**
 * Long pastes, shown in the input as `[paste 1: 214 lines]` and sent whole.
 *
 * @example
 * const pastes = new Pastes();
 * pastes.expand(`Explain: ${pastes.add(log)}`); // the whole log
 */
export class Pastes {
  readonly #texts: string[] = [];

  /** What to insert into the input for a pasted text. */
  add(text: string): string {
    const lines = text.replace(/\n$/, '').split('\n').length;
    if (lines <= shortLines && text.length <= shortChars) return text;
    const number = this.#texts.push(text);
    return lines === 1 ? `[paste ${number}: ${text.length} characters]` : `[paste ${number}: ${lines} lines]`;
  }

  /** The text with every placeholder replaced by what was pasted. */
  expand(text: string): string {
    return text.replace(
      /\[paste (\d{1,6}): \d+ (?:lines|characters)\]/g,
      (placeholder, number: string) => this.#texts[Number(number) - 1] ?? placeholder,
    );
  }
}
