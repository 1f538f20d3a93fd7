/** Headers as the SDKs' variables hold them: one `Name: value` a line. */
export function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/**
 * Takes back what an SDK reads from the process by itself. Headers meant for one place must not reach another, and the
 * environment is the caller's to give.
 */
export function unset(text: string | undefined): Record<string, null> {
  return Object.fromEntries(Object.keys(readHeaders(text)).map((name) => [name, null]));
}
