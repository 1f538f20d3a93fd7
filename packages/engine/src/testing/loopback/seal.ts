import { createHmac } from 'node:crypto';
import type { Binding } from './binding.ts';

const macLength = 44;

/** Makes and checks what providers sign or encrypt, and makes ids that no other server makes. */
export class Sealer {
  readonly #secret: string;
  #made = 0;

  constructor({ secret }: { secret: string }) {
    this.#secret = secret;
  }

  /** An id such as `toolu_3f…`, new each time, the same sequence for the same secret. */
  id(prefix: string): string {
    this.#made += 1;
    return `${prefix}_${this.#mac(`id ${this.#made}`)
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 24)}`;
  }

  /** A signature over a text, and if asked, over the place where it stands. */
  sign({ text, binding }: { text: string; binding?: Binding }): string {
    if (!binding) return this.#mac(`text ${text}`);
    const { prefix, previous = '' } = binding;
    return this.#mac(`text ${text}`) + this.#mac(`prefix ${prefix}`) + this.#mac(`previous ${previous}`);
  }

  signed({ text, signature }: { text: string; signature: string }): boolean {
    return signature.slice(0, macLength) === this.#mac(`text ${text}`);
  }

  /** Whether a signature was made for this place. One without anything before it may have lost what was. */
  boundTo({ signature, binding }: { signature: string; binding: Binding }): boolean {
    const { prefix, previous } = binding;
    const recorded = signature.slice(2 * macLength);
    if (signature.slice(macLength, 2 * macLength) !== this.#mac(`prefix ${prefix}`)) return false;
    return previous === undefined || recorded === this.#mac(`previous ${previous}`);
  }

  /** An opaque string that says by itself whether this server made it. */
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
