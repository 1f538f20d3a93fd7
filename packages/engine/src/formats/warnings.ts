/** Something a reader had to mend, leave out or guess. The file itself is never changed. */
export interface FormatWarning {
  /** Stable, kebab-case, safe to branch on. */
  readonly code: string;
  readonly message: string;
  /** The line of the file, from 1, where there is one. */
  readonly line?: number;
}

/** Takes warnings, with a bound: a file of noise must not fill the memory with sentences about it. */
export interface WarningList {
  readonly add: (warning: FormatWarning) => void;
  readonly list: readonly FormatWarning[];
}

const most = 100;

export function createWarnings(): WarningList {
  const list: FormatWarning[] = [];
  let more = 0;
  return {
    add(warning) {
      if (list.length < most) {
        list.push(warning);
        return;
      }
      more += 1;
      list[most] = { code: 'more-warnings', message: `There are ${more} more of these.` };
    },
    list,
  };
}
