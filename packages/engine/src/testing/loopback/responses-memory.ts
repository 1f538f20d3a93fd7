import { isArray, isObject, type Json } from '../judge/json.ts';
import { typeOf } from '../judge/openai-responses-items.ts';

/** What the Responses server keeps of requests with `store` on: whole conversations by response, and items by id. */
export class ResponsesMemory {
  readonly #conversations = new Map<string, Json[]>();
  readonly #items = new Map<string, Json>();
  readonly #reasoning = new Map<string, string>();

  /** Ids that an input may refer to. */
  get knownItems(): ReadonlySet<string> {
    return new Set(this.#items.keys());
  }

  /** Item id -> the reasoning it must come back with. */
  get requiredReasoning(): ReadonlyMap<string, string> {
    return this.#reasoning;
  }

  /** The body with the items it continues from in front; `undefined` if there is no such response. */
  continued(body: Json): Json | undefined {
    const { previous_response_id: previous } = body;
    if (typeof previous !== 'string') return body;
    const before = this.#conversations.get(previous);
    if (!before) return undefined;
    const { previous_response_id: _, ...rest } = body;
    return { ...rest, input: [...before, ...inputOf(body)] };
  }

  /** The body with references replaced by what they refer to. */
  resolved(body: Json): Json {
    if (!isArray(body.input)) return body;
    const input = body.input.map((item) =>
      isObject(item) && typeOf(item) === 'item_reference' ? (this.#items.get(String(item.id)) ?? item) : item,
    );
    return { ...body, input };
  }

  keep({ id, body, output }: { id: string; body: Json; output: readonly Json[] }): void {
    if (body.store === false) return;
    this.#conversations.set(id, [...inputOf(body), ...output]);
    const reasoning = output.find(({ type }) => type === 'reasoning')?.id;
    for (const item of output) {
      if (typeof item.id !== 'string') continue;
      this.#items.set(item.id, item);
      if (typeof reasoning === 'string' && item.id !== reasoning) this.#reasoning.set(item.id, reasoning);
    }
  }
}

function inputOf({ input }: Json): Json[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return isArray(input) ? input.filter(isObject) : [];
}
