/**
 * What to tell a person whose Node is too old; `undefined` where it is not. This file and `bin.ts` keep to plain
 * syntax: an old Node would fail on anything newer before it could say so.
 *
 * @example
 * nodeComplaint({ version: 'v20.1.0', needed: 24 }); // 'longhaul needs Node 24 or newer, …'
 */
export function nodeComplaint(input: { readonly version: string; readonly needed: number }): string | undefined {
  const version = input.version.replace(/^v/, '');
  if (Number.parseInt(version, 10) >= input.needed) return undefined;
  return `longhaul needs Node ${input.needed} or newer, and this is Node ${version}: get one at https://nodejs.org.`;
}
