import type { Access } from '../permission.ts';
import { visible } from '../plain.ts';

/** One line for people: what a call would do. */
export function summaryOf({ name, access }: { readonly name: string; readonly access: Access }): string {
  switch (access.kind) {
    case 'none':
      return name;
    case 'execute':
      return `${name}: ${oneLine(access.command)}`;
    default:
      return `${name} ${access.paths.map(oneLine).join(', ')}${access.isOutside ? ' (outside of the workspace)' : ''}`;
  }
}

/** A command of many lines, or one with control characters, must not look like another one: everything is shown. */
function oneLine(text: string): string {
  const line = visible(text)
    .replace(/\p{Cf}/gu, '\ufffd')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
