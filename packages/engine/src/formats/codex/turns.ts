/** Remembers where the session stood before each turn of a person, on the way to where it stands now. */
export interface Turns<Standing> {
  /** Codex began to work on something. */
  readonly started: () => void;
  /** A person speaks; `before` is where the session stands before it. */
  readonly said: (before: Standing) => void;
  /** Takes the newest turns away, and answers where the session stood before them. */
  readonly back: (count: unknown) => Standing | undefined;
}

/**
 * What is typed while Codex works belongs to the turn that it works on. Versions that do not log when it begins have a
 * turn for every message.
 *
 * @example
 * const turns = createTurns<EntryId | null>();
 */
export function createTurns<Standing>(): Turns<Standing> {
  const turns: Standing[] = [];
  let isLogged = false;
  let isOpen = false;
  return {
    started() {
      isLogged = true;
      isOpen = false;
    },
    said(before) {
      if (isLogged && isOpen) return;
      turns.push(before);
      isOpen = true;
    },
    back(count) {
      const number = typeof count === 'number' && count > 0 ? Math.min(Math.ceil(count), turns.length) : 0;
      const target = turns[turns.length - number];
      turns.length -= number;
      isOpen = false;
      return target;
    },
  };
}
