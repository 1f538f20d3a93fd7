import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';

/** What was seen at one place of many values. */
interface JsonShape {
  readonly kinds: Set<'null' | 'boolean' | 'integer' | 'number' | 'string'>;
  /** How many objects there were, and in how many of them a member was. */
  objects: number;
  readonly members: Map<string, { readonly shape: JsonShape; seen: number }>;
  /** Members beyond the width, all in one. */
  rest: JsonShape | undefined;
  /** The items of all arrays that were seen, in one; `null` while all were empty. */
  items: JsonShape | null | undefined;
  /** Something stood deeper than was looked. */
  isDeep: boolean;
}

/**
 * The JSON Schema of a value: what it holds, not what it might. All arrays at one place are looked at, nested ones too,
 * and mixed ones name each kind. Depth and width are bounded; what exceeds them is omitted. Linear in the value.
 *
 * @example
 * inferSchema({ value: [{ id: 1 }, { id: 2, name: 'x' }] });
 * // { type: 'array', items: { type: 'object', properties: { id: {…}, name: {…} }, required: ['id'] } }
 */
export function inferSchema({
  value,
  depth = 6,
  width = 40,
}: {
  readonly value: Json;
  /** Levels of objects and arrays that are described. */
  readonly depth?: number;
  /** Members that an object names; more are described together. */
  readonly width?: number;
}): JsonObject {
  const shape = emptyShape();
  see({ shape, value, depth, width });
  return schemaOf(shape);
}

function emptyShape(): JsonShape {
  return { kinds: new Set(), objects: 0, members: new Map(), rest: undefined, items: undefined, isDeep: false };
}

function see(of: {
  readonly shape: JsonShape;
  readonly value: Json;
  readonly depth: number;
  readonly width: number;
}): void {
  const { shape, value, depth, width } = of;
  if (typeof value === 'object' && value !== null && depth <= 0) shape.isDeep = true;
  else if (isArray(value)) {
    shape.items ??= value.length > 0 ? emptyShape() : null;
    const { items } = shape;
    if (items) for (const item of value) see({ shape: items, value: item, depth: depth - 1, width });
  } else if (isObject(value)) {
    shape.objects += 1;
    for (const key of Object.keys(value)) seeMember({ ...of, key, member: value[key] });
  } else shape.kinds.add(kindOf(value));
}

function seeMember(of: {
  readonly shape: JsonShape;
  readonly key: string;
  readonly member: Json | undefined;
  readonly depth: number;
  readonly width: number;
}): void {
  const { shape, key, member, depth, width } = of;
  if (member === undefined) return;
  const known = shape.members.get(key);
  if (!known && shape.members.size >= width) {
    shape.rest ??= emptyShape();
    see({ shape: shape.rest, value: member, depth: depth - 1, width });
    return;
  }
  const entry = known ?? { shape: emptyShape(), seen: 0 };
  entry.seen += 1;
  shape.members.set(key, entry);
  see({ shape: entry.shape, value: member, depth: depth - 1, width });
}

function kindOf(value: Json): 'null' | 'boolean' | 'integer' | 'number' | 'string' {
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}

function schemaOf(shape: JsonShape): JsonObject {
  const forms = [...simple(shape), ...structured(shape)];
  if (shape.isDeep) forms.push({});
  const [first] = forms;
  return forms.length === 1 && first ? first : forms.length === 0 ? {} : { anyOf: forms };
}

/** Plain kinds fit into one `type`; a whole number is a number where both stand. */
function simple({ kinds }: JsonShape): JsonObject[] {
  const names = [...kinds].filter((kind) => kind !== 'integer' || !kinds.has('number'));
  const [first] = names;
  if (first === undefined) return [];
  return [{ type: names.length === 1 ? first : names }];
}

function structured({ objects, members, rest, items }: JsonShape): JsonObject[] {
  const forms: JsonObject[] = [];
  if (objects > 0) {
    const required = [...members].filter(([, { seen }]) => seen === objects).map(([key]) => key);
    forms.push({
      type: 'object',
      ...(members.size > 0 && {
        properties: Object.fromEntries([...members].map(([key, { shape }]) => [key, schemaOf(shape)])),
      }),
      ...(required.length > 0 && { required }),
      ...(rest && { additionalProperties: schemaOf(rest) }),
    });
  }
  if (items !== undefined) forms.push({ type: 'array', ...(items && { items: schemaOf(items) }) });
  return forms;
}
