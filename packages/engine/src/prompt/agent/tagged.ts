/**
 * A text in a tag, so that a model sees where it starts and ends.
 *
 * @example
 * tagged({ tag: 'file', facts: { path: 'a.ts' }, text: 'x' }); // '<file path="a.ts">\nx\n</file>'
 */
export function tagged({
  tag,
  facts,
  text,
}: {
  readonly tag: string;
  readonly facts: Readonly<Record<string, string | number>>;
  readonly text: string;
}): string {
  const end = text.endsWith('\n') ? '' : '\n';
  return `${opening({ tag, facts })}\n${text}${end}</${tag}>`;
}

/** The opening tag of a text. */
export function opening({
  tag,
  facts,
}: {
  readonly tag: string;
  readonly facts: Readonly<Record<string, string | number>>;
}): string {
  const attributes = Object.entries(facts).map(
    ([name, value]) => ` ${name}="${String(value).replaceAll('"', '&quot;')}"`,
  );
  return `<${tag}${attributes.join('')}>`;
}
