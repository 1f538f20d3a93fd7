/** The runtime shape of an `enum`: numbers by name, and names by number. */
export type Enumeration<Numbers extends Readonly<Record<string, number>>> = Numbers & {
  readonly [Name in keyof Numbers as Numbers[Name]]: Name;
} & { readonly [number: number]: string };

/**
 * Creates the equivalent of an `enum` in erasable syntax. A namespace of the same name lets its members be used as
 * types.
 */
export function enumeration<const Numbers extends Readonly<Record<string, number>>>(
  numbers: Numbers,
): Enumeration<Numbers> {
  const names = Object.entries(numbers).map(([name, number]) => [number, name]);
  return { ...Object.fromEntries(names), ...numbers };
}
