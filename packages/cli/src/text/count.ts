/**
 * A number with its noun.
 *
 * @example
 * count({ of: 'message', amount: 2 }); // '2 messages'
 */
export function count({ amount, of }: { readonly amount: number; readonly of: string }): string {
  return `${amount} ${of}${amount === 1 ? '' : 's'}`;
}
