/**
 * A JSON text without the comments and the commas before closing brackets that settings files of TypeScript may have.
 *
 * @example
 * JSON.parse(withoutComments('{ "a": 1, } // one')); // { a: 1 }
 */
export function withoutComments(text: string): string {
  const plain = text.replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : ' ',
  );
  return plain.replace(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (found) => (found === ',' ? '' : found));
}
