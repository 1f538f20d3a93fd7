const absolute = /^(?:[/~]|[A-Za-z]:[\\/]|\\\\)/;

/** Resolves a path against `base`, with `..` and `.` resolved; absolute paths are unchanged. */
export function resolvePath({ path, base }: { readonly path: string; readonly base?: string | undefined }): string {
  if (base === undefined || base === '' || absolute.test(path)) return normalized(path);
  return normalized(`${base}${/[\\/]$/.test(base) ? '' : '/'}${path}`);
}

/**
 * The canonical key of a file, the same for all spellings of its path. Inside `root` it is relative, because agents mix
 * absolute and relative paths.
 */
export function pathKey({ path, root }: { readonly path: string; readonly root?: string | undefined }): string {
  const key = withSlashes(path);
  const base = root === undefined ? '' : `${withSlashes(root)}/`;
  return base.length > 1 && key.startsWith(base) ? key.slice(base.length) : key;
}

/** Whether a text can be a path: not empty, not long, one line. */
export function isPath(text: string): boolean {
  return text.length > 0 && text.length <= 1000 && !/[\n\r\0]/.test(text);
}

function withSlashes(path: string): string {
  const isWindows = /^[A-Za-z]:[\\/]/.test(path) || (path.includes('\\') && !path.includes('/'));
  const normal = normalized(isWindows ? path.replaceAll('\\', '/') : path);
  return normal.replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
}

function normalized(path: string): string {
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
