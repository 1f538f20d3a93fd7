import { isArray, type Json, type JsonObject } from '../../json.ts';

/** A record a line. */
export async function* jsonLines(records: AsyncIterable<JsonObject>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

/**
 * An object as indented JSON, its lists item by item: a string cannot hold a document of any size.
 *
 * @example
 * [...jsonPieces({ messages: [1, 2] })].join(''); // JSON.stringify({ messages: [1, 2] }, undefined, 2) and a line end
 */
export function* jsonPieces(object: JsonObject): Generator<string> {
  const members = Object.entries(object).filter((member): member is [string, Json] => member[1] !== undefined);
  let before = '{\n';
  for (const [name, value] of members) {
    yield `${before}  ${JSON.stringify(name)}: `;
    if (isArray(value) && value.length > 0) yield* listPieces(value);
    else yield indented(value, '  ');
    before = ',\n';
  }
  yield members.length === 0 ? '{}\n' : '\n}\n';
}

function* listPieces(list: readonly Json[]): Generator<string> {
  let before = '[\n';
  for (const item of list) {
    yield `${before}    ${indented(item, '    ')}`;
    before = ',\n';
  }
  yield '\n  ]';
}

/** Line ends inside of texts are escaped in JSON, so every one that is there is one between members. */
function indented(value: Json, by: string): string {
  return JSON.stringify(value, undefined, 2).replaceAll('\n', `\n${by}`);
}
