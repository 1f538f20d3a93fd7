/**
 * Gemini lets calls and responses go without ids and pairs them by name and order; the neutral model pairs by id. This
 * gives each call without one an id that depends only on its place, so that a longer list decodes to the same start.
 */
export function createCallNames(): {
  enter(at: { item: number; isModel: boolean }): void;
  call(of: { id: string | undefined; name: string; part: number }): string;
  result(of: { id: string | undefined; name: string; part: number }): string;
} {
  let item = 0;
  let wasModel = false;
  let open: { id: string; name: string }[] = [];
  return {
    enter(at) {
      // A new model turn begins: calls of the last one can no longer be answered.
      if (at.isModel && !wasModel) open = [];
      item = at.item;
      wasModel = at.isModel;
    },
    call({ id, name, part }) {
      if (id !== undefined) return id;
      const made = `gemini_call_${item}_${part}`;
      open.push({ id: made, name });
      return made;
    },
    result({ id, name, part }) {
      if (id !== undefined) return id;
      const at = open.findIndex((call) => call.name === name);
      const [call] = at < 0 ? [] : open.splice(at, 1);
      return call?.id ?? `gemini_result_${item}_${part}`;
    },
  };
}
