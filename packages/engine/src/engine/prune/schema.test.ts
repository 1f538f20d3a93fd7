import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../../json.ts';
import { runs } from '../../testing/runs.ts';
import { inferSchema } from './schema.ts';

const int = { type: 'integer' };
const text = { type: 'string' };

test.each<[string, Json, JsonObject]>([
  ['plain values', 'x', text],
  ['an empty list', [], { type: 'array' }],
  [
    'a list of lists',
    [[1], ['x']],
    { type: 'array', items: { type: 'array', items: { type: ['integer', 'string'] } } },
  ],
  [
    'objects of which some lack a member',
    [{ id: 1 }, { id: 2, name: 'x' }],
    { type: 'array', items: { type: 'object', properties: { id: int, name: text }, required: ['id'] } },
  ],
  ['editor.md 4.3: whole numbers and numbers are numbers', [1, 1.5, 2], { type: 'array', items: { type: 'number' } }],
  [
    'editor.md 4.3: every inner list of a mixed list counts',
    [1, ['x'], [{ a: 1 }], { b: null }],
    {
      type: 'array',
      items: {
        anyOf: [
          int,
          { type: 'object', properties: { b: { type: 'null' } }, required: ['b'] },
          { type: 'array', items: { anyOf: [text, { type: 'object', properties: { a: int }, required: ['a'] }] } },
        ],
      },
    },
  ],
])('%s', (_name, value, schema) => {
  expect(inferSchema({ value })).toEqual(schema);
});

it('editor.md 4.3: has bounds in depth and width', () => {
  let deep: Json = 1;
  for (let level = 0; level < 5000; level += 1) deep = [deep];
  expect(JSON.stringify(inferSchema({ value: deep })).length).toBeLessThan(300);
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
  const schema = inferSchema({ value: wide, width: 3 });
  expect(Object.keys(schema.properties as JsonObject)).toEqual(['k0', 'k1', 'k2']);
  expect(schema.additionalProperties).toEqual(int);
});

it('describes every value it was made from', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = JSON.parse(JSON.stringify(value)) as Json;
      expect(accepts(inferSchema({ value: json, depth: 20, width: 100 }), json)).toBe(true);
      expect(accepts(inferSchema({ value: json, depth: 2, width: 2 }), json)).toBe(true);
    }),
    runs(300),
  );
});

/** A judge of its own: what these few words of JSON Schema mean. */
function accepts(schema: JsonObject, value: Json): boolean {
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonObject[]).some((one) => accepts(one, value));
  const types = ([] as Json[]).concat(schema.type === undefined ? [] : (schema.type as Json | Json[]));
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return false;
  if (Array.isArray(value))
    return schema.items === undefined ? true : value.every((item) => accepts(schema.items as JsonObject, item));
  if (typeof value !== 'object' || value === null) return true;
  const members = value as JsonObject;
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  const isComplete = ((schema.required ?? []) as string[]).every((key) => Object.hasOwn(members, key));
  return (
    isComplete &&
    Object.keys(members).every((key) => {
      const own = Object.hasOwn(properties, key)
        ? properties[key]
        : (schema.additionalProperties as JsonObject | undefined);
      return types.length === 0 || (own !== undefined && accepts(own, members[key] as Json));
    })
  );
}

function isOf(type: Json, value: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}
