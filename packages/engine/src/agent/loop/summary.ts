import type { Access } from '../permission.ts';

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

/** A command of many lines, or one with control characters, must not look like another one. */
function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}
