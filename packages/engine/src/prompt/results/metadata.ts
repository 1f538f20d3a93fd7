import type { PromptReference } from './reference.ts';

/**
 * Anything that is to be found in the result of a render. Extend it, put an instance into the tree with `meta`, and ask
 * the result for it by its class.
 *
 * @example
 * class UsedTool extends PromptMetadata {
 *   constructor(readonly tool: string) {
 *     super();
 *   }
 * }
 */
export abstract class PromptMetadata {
  readonly _marker: undefined;

  toString(): string {
    return Object.getPrototypeOf(this).constructor.name;
  }
}

/** A reference in the tree: it survives as what it is attached to does. */
export class ReferenceMetadata extends PromptMetadata {
  readonly reference: PromptReference;

  constructor(reference: PromptReference) {
    super();
    this.reference = reference;
  }
}

/** The metadata that survived, by class. */
export interface MetadataMap {
  get<T extends PromptMetadata>(key: new (...args: never[]) => T): T | undefined;
  getAll<T extends PromptMetadata>(key: new (...args: never[]) => T): T[];
}

/**
 * Makes maps of metadata.
 *
 * @example
 * MetadataMap.from([new UsedTool('read')]).get(UsedTool)?.tool; // 'read'
 */
export const MetadataMap = {
  empty: { get: () => undefined, getAll: () => [] } as MetadataMap,

  from(metadata: readonly PromptMetadata[]): MetadataMap {
    return {
      get: <T extends PromptMetadata>(key: new (...args: never[]) => T) =>
        metadata.find((each): each is T => each instanceof key),
      getAll: <T extends PromptMetadata>(key: new (...args: never[]) => T) =>
        metadata.filter((each): each is T => each instanceof key),
    };
  },
} as const;
