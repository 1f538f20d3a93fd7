import { languageOf } from '../structure/languages.ts';

const mostRemembered = 32;
const mostNeighbors = 10;

/** Files that were looked at lately, the last one last. */
export class NeighborFiles {
  readonly #paths = new Set<string>();

  /** A file that is looked at now. */
  touch(path: string): void {
    this.#paths.delete(path);
    this.#paths.add(path);
    const [oldest] = this.#paths;
    if (this.#paths.size > mostRemembered && oldest !== undefined) this.#paths.delete(oldest);
  }

  remove(path: string): void {
    this.#paths.delete(path);
  }

  /** Up to ten files of the same language besides `path`, the one looked at last first. */
  of(path: string): string[] {
    const language = familyOf(path);
    const others = [...this.#paths].reverse().filter((other) => other !== path && familyOf(other) === language);
    return others.slice(0, mostNeighbors);
  }
}

/** JavaScript and TypeScript are one language here: they import each other. */
function familyOf(path: string): string {
  const id = languageOf(path)?.id ?? path.slice(path.lastIndexOf('.') + 1);
  return id === 'javascript' || id === 'tsx' ? 'typescript' : id;
}
