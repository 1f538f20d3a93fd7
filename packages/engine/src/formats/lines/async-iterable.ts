/** Each item with the one that follows it; `undefined` after the last. */
export async function* withNext<T>(
  items: AsyncIterable<T>,
): AsyncGenerator<{ readonly item: T; readonly next: T | undefined }> {
  let held: { readonly item: T } | undefined;
  for await (const item of items) {
    if (held) yield { item: held.item, next: item };
    held = { item };
  }
  if (held) yield { item: held.item, next: undefined };
}

/** All but the first of what comes. */
export async function* afterFirst<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let isFirst = true;
  for await (const item of items) {
    if (!isFirst) yield item;
    isFirst = false;
  }
}
