/**
 * A bar filled to a share.
 *
 * @example
 * bar({ share: 0.5, cells: 4 }); // '██░░'
 */
export function bar({ share, cells }: { readonly share: number; readonly cells: number }): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * cells);
  return `${'█'.repeat(filled)}${'░'.repeat(cells - filled)}`;
}
