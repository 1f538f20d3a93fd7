/**
 * The message for a Node version that is too old; `undefined` if it is fine. This file and `bin.ts` keep to old syntax,
 * because an old Node would fail on newer syntax before printing it.
 *
 * @example
 * nodeComplaint({ version: 'v20.1.0', needed: 24 }); // 'longhaul needs Node 24 or newer, …'
 */
export function nodeComplaint(input: { readonly version: string; readonly needed: number }): string | undefined {
  const version = input.version.replace(/^v/, '');
  if (Number.parseInt(version, 10) >= input.needed) return undefined;
  return `longhaul needs Node ${input.needed} or newer; this is Node ${version}. Get it at https://nodejs.org.`;
}
