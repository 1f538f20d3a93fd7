const absolute = /^(?:[/~]|[A-Za-z]:[\\/]|\\\\)/;

/** A path as seen from `base`: `..` and `.` resolved, what is absolute left where it is. */
export function resolvePath({ path, base }: { readonly path: string; readonly base?: string | undefined }): string {
  if (base === undefined || base === '' || absolute.test(path)) return tidy(path);
  return tidy(`${base}${/[\\/]$/.test(base) ? '' : '/'}${path}`);
}

/**
 * The name under which a file is kept: the same for all ways of writing its path. Inside `root` it is the path from
 * there, since agents name one file now from the root of the disk and now from the project.
 */
export function pathKey({ path, root }: { readonly path: string; readonly root?: string | undefined }): string {
  const key = slashed(path);
  const base = root === undefined ? '' : `${slashed(root)}/`;
  return base.length > 1 && key.startsWith(base) ? key.slice(base.length) : key;
}

/** Whether a word can be a path worth keeping: not empty, not a page of text. */
export function isPath(text: string): boolean {
  return text.length > 0 && text.length <= 1000 && !/[\n\r\0]/.test(text);
}

function slashed(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(path) || (path.includes('\\') && !path.includes('/'));
  const even = tidy(isWindows ? path.replaceAll('\\', '/') : path);
  return even.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

function tidy(path: string): string {
  if (!/(?:^|[\\/])\.{1,2}(?:[\\/]|$)|[\\/]{2}|.[\\/]$/.test(path)) return path;
  const separator = path.includes('/') ? '/' : '\\';
  const start = /^(?:[A-Za-z]:)?[\\/]*/.exec(path)?.[0] ?? '';
  const segments: string[] = [];
  for (const segment of path.slice(start.length).split(/[\\/]+/)) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop();
    else if (segment !== '..' || start === '') segments.push(segment);
  }
  return `${start}${segments.join(separator)}` || '.';
}
