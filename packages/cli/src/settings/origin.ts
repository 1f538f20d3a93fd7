/** Where a value comes from. */
export type SettingOrigin =
  | { readonly kind: 'default' }
  | { readonly kind: 'user file'; readonly path: string }
  | { readonly kind: 'project file'; readonly path: string }
  /** A file named on the command line. */
  | { readonly kind: 'named file'; readonly path: string }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'flag'; readonly name: string };

/** A value for one setting, with its source. */
export interface Given {
  readonly key: string;
  readonly value: unknown;
  readonly origin: SettingOrigin;
}

/**
 * The name of a setting as written at its source, for messages.
 *
 * @example
 * placeOf({ key: 'color', origin: { kind: 'flag', name: '--color' } }); // '--color'
 */
export function placeOf({ key, origin }: Pick<Given, 'key' | 'origin'>): string {
  switch (origin.kind) {
    case 'flag':
    case 'environment':
      return origin.name;
    case 'default':
      return `the default of "${key}"`;
    default:
      return `"${key}" in ${origin.path}`;
  }
}
