import { PromptMetadata } from './metadata.ts';

/**
 * Metadata that came with an element in JSON form: its original class name and value.
 *
 * @example
 * const [made] = result.metadata.getAll(CarriedMetadata);
 * if (made?.name === 'UsedTool') console.log(made.value);
 */
export class CarriedMetadata extends PromptMetadata {
  readonly carriedName: string;
  readonly value: unknown;

  constructor({ name, value }: { readonly name: string; readonly value: unknown }) {
    super();
    this.carriedName = name;
    this.value = value;
  }

  get name(): string {
    return this.carriedName;
  }

  override toString(): string {
    return this.carriedName;
  }
}
