import type { PromptReference } from './reference.ts';

/**
 * Base class of metadata in the result of a render. Extend it, add an instance to the tree with `meta`, and get it from
 * the result by class.
 *
 * @example
 * class UsedTool extends PromptMetadata {
 *   readonly tool: string;
 *   constructor(tool: string) {
 *     super();
 *     this.tool = tool;
 *   }
 * }
 */
export abstract class PromptMetadata {
  readonly _marker: undefined;

  toString(): string {
    return Object.getPrototypeOf(this).constructor.name;
  }
}

/** A reference in the tree: kept as long as the node it is attached to. */
export class ReferenceMetadata extends PromptMetadata {
  readonly reference: PromptReference;

  constructor(reference: PromptReference) {
    super();
    this.reference = reference;
  }
}

/** The remaining metadata, by class. */
export interface MetadataMap {
  get<T extends PromptMetadata>(key: new (...args: never[]) => T): T | undefined;
  getAll<T extends PromptMetadata>(key: new (...args: never[]) => T): T[];
}

/**
 * Creates metadata maps.
 *
 * @example
 * class UsedTool extends PromptMetadata {
 *   readonly tool = 'read';
 * }
 * MetadataMap.from([new UsedTool()]).get(UsedTool)?.tool; // 'read'
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
