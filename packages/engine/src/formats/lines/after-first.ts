/** All but the first of what comes. */
export async function* afterFirst<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  let isFirst = true;
  for await (const item of items) {
    if (!isFirst) yield item;
    isFirst = false;
  }
}
