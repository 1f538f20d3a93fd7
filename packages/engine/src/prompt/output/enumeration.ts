/** What an `enum` is at runtime: numbers by their names, and names by their numbers. */
export type Enumeration<Numbers extends Readonly<Record<string, number>>> = Numbers & {
  readonly [Name in keyof Numbers as Numbers[Name]]: Name;
} & { readonly [number: number]: string };

/**
 * Makes what an `enum` would be, in sources that run as they are written. A namespace of types beside it, by the same
 * name, lets its members be used as types.
 */
export function enumeration<const Numbers extends Readonly<Record<string, number>>>(
  numbers: Numbers,
): Enumeration<Numbers> {
  const names = Object.entries(numbers).map(([name, number]) => [number, name]);
  return { ...Object.fromEntries(names), ...numbers };
}
