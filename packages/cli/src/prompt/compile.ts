import { LonghaulError } from 'longhaul';
import type { JsxOptions, TransformOptions, TransformResult } from 'oxc-transform';

export type Transform = (file: string, source: string, options: TransformOptions) => TransformResult;

/**
 * TypeScript and JSX to JavaScript, types removed. What cannot be read is an error with its place.
 *
 * @example
 * compile({ file: '/x/a.tsx', name: 'a.tsx', source, jsx: { importSource: 'longhaul/prompt' }, transform: transformSync });
 */
export function compile({
  file,
  name,
  source,
  jsx,
  transform,
}: {
  readonly file: string;
  /** What the file is called in sentences about it. */
  readonly name: string;
  readonly source: string;
  readonly jsx: JsxOptions;
  readonly transform: Transform;
}): string {
  const { code, errors } = transform(file, source, { jsx, sourcemap: false, target: 'es2024' });
  const [error] = errors;
  if (!error) return code;
  const at = placeOf({ source, offset: error.labels[0]?.start ?? 0 });
  throw new LonghaulError({
    code: 'prompt-syntax',
    cause: `${name}:${at} cannot be compiled: ${error.message.replace(/\.$/, '')}.`,
    next: error.helpMessage ?? 'Mend the place and try again.',
  });
}

/** `line:column`, both from 1. Offsets count UTF-16 units. */
function placeOf({ source, offset }: { readonly source: string; readonly offset: number }): string {
  const before = source.slice(0, offset).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
