/** How much a version differs from the one before it. */
export type Level = 'major' | 'minor' | 'patch';

export const levels: readonly Level[] = ['patch', 'minor', 'major'];

/** The notes of a version in a changelog, without its heading; empty where there are none. */
export function notesOf({ changelog, version }: { readonly changelog: string; readonly version: string }): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.split(/[\s\]]/)[0]?.replace('[', '') === version);
  return section === undefined ? '' : section.slice(section.indexOf('\n') + 1).trim();
}

/**
 * The least level that notes allow: what was removed or breaks is major, what was added or changed minor, the rest patch.
 * Before 1.0.0 a minor version may break, and a patch may add.
 */
export function leastLevel({ notes, version }: { readonly notes: string; readonly version: string }): Level {
  const breaks = /^### Removed|^- \**Breaking/m.test(notes);
  const adds = /^### (?:Added|Changed|Deprecated)/m.test(notes);
  const isEarly = version.startsWith('0.');
  if (breaks) return isEarly ? 'minor' : 'major';
  return adds && !isEarly ? 'minor' : 'patch';
}

export function nextVersion({ version, level }: { readonly version: string; readonly level: Level }): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (level === 'major') return `${major + 1}.0.0`;
  return level === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

/** A changelog in which the unreleased notes are those of a version. */
export function released({
  changelog,
  version,
  date,
}: {
  readonly changelog: string;
  readonly version: string;
  readonly date: string;
}): string {
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`);
}
