import { createHmac } from 'node:crypto';
import type { SignatureBinding } from './binding.ts';

const macLength = 44;

/** Creates and verifies signatures, encrypted content and ids that no other server issues. */
export class Sealer {
  readonly #secret: string;
  #made = 0;

  constructor({ secret }: { secret: string }) {
    this.#secret = secret;
  }

  /** A new id such as `toolu_3f…`; the same sequence for the same secret. */
  id(prefix: string): string {
    this.#made += 1;
    return `${prefix}_${this.#mac(`id ${this.#made}`)
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 24)}`;
  }

  /** A signature over a text and optionally its position. */
  sign({ text, binding }: { text: string; binding?: SignatureBinding }): string {
    if (!binding) return this.#mac(`text ${text}`);
    const { prefix, previous = '' } = binding;
    return this.#mac(`text ${text}`) + this.#mac(`prefix ${prefix}`) + this.#mac(`previous ${previous}`);
  }

  signed({ text, signature }: { text: string; signature: string }): boolean {
    return signature.slice(0, macLength) === this.#mac(`text ${text}`);
  }

  /** Whether a signature belongs to this position. One without predecessor may have lost it. */
  boundTo({ signature, binding }: { signature: string; binding: SignatureBinding }): boolean {
    const { prefix, previous } = binding;
    const recorded = signature.slice(2 * macLength);
    if (signature.slice(macLength, 2 * macLength) !== this.#mac(`prefix ${prefix}`)) return false;
    return previous === undefined || recorded === this.#mac(`previous ${previous}`);
  }

  /** An opaque string that this server can recognize as its own. */
  seal(content: string): string {
    const payload = `gAAAAA${Buffer.from(content).toString('base64url')}`;
    return `${payload}${this.#mac(`seal ${payload}`)}`;
  }

  sealed(value: string): boolean {
    return value.slice(-macLength) === this.#mac(`seal ${value.slice(0, -macLength)}`);
  }

  #mac(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }
}
