import { count, number } from '../../../page/browser/words.ts';
import type { PageEpoch } from '../shape.ts';
import type { Tree } from './tree.ts';

/** When an element rendered, and with which share. */
export interface Rendered {
  readonly epoch: number;
  readonly share: number;
}

/** The order in which elements rendered. */
export class Epochs {
  readonly all: readonly PageEpoch[];
  readonly #byId = new Map<number, Rendered>();

  constructor({ epochs }: { readonly epochs: readonly PageEpoch[] }) {
    this.all = epochs;
    epochs.forEach(({ shares }, epoch) => {
      for (const [id, share] of shares) this.#byId.set(id, { epoch, share });
    });
  }

  of(id: number | undefined): Rendered | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Describes a group in one sentence. */
  sentence({ at, tree }: { readonly at: number; readonly tree: Tree }): string {
    const epoch = this.all[at];
    if (!epoch) return `All ${count({ amount: this.all.length, of: 'group' })} have rendered.`;
    const { shares, budget, reserved, flexGrow } = epoch;
    const where = epoch.in === undefined ? 'the prompt' : (tree.byId(epoch.in)?.name ?? 'an element');
    const grow = flexGrow === 0 ? '' : ` with flexGrow ${number(flexGrow)}`;
    const kept = reserved > 0 ? `, ${number(reserved)} of them reserved for later groups` : '';
    const elements = count({ amount: shares.length, of: 'element' });
    return `Group ${at + 1} of ${this.all.length}: in ${where}, ${elements}${grow} ${shares.length === 1 ? 'has' : 'share'} ${count({ amount: budget, of: 'token' })}${kept}.`;
  }
}
