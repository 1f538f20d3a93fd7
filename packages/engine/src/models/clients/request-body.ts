import type { Dialect, JsonObject } from '../../message/index.ts';
import type { BodyInput } from './body/body.ts';
import { spoken } from './dialects.ts';

/**
 * The JSON that a client sends, without sending it: head, items, tools and options in a dialect's words.
 *
 * @example
 * const body = requestBody({ dialect: model.dialect, model: model.id.name, info: model.info, request });
 */
export function requestBody({ dialect, ...input }: BodyInput & { readonly dialect: Dialect }): JsonObject {
  return spoken[dialect].writeBody(input);
}
