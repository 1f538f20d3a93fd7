/** URI components as JSON. */
export interface UriComponents {
  readonly scheme: string;
  readonly authority?: string;
  readonly path?: string;
  readonly query?: string;
  readonly fragment?: string;
}

/** A URI for references: the subset of VS Code's `Uri` that prompts use. */
export class Uri implements UriComponents {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;

  private constructor(parts: Required<UriComponents>) {
    this.scheme = parts.scheme;
    this.authority = parts.authority;
    this.path = parts.path;
    this.query = parts.query;
    this.fragment = parts.fragment;
  }

  static from({ scheme, authority = '', path = '', query = '', fragment = '' }: UriComponents): Uri {
    const known = scheme || 'file';
    const uri = new Uri({ scheme: known, authority, path: rooted({ scheme: known, path }), query, fragment });
    check(uri);
    return uri;
  }

  /** The file system path. */
  get fsPath(): string {
    return this.authority && this.path.length > 1 && this.scheme === 'file'
      ? `//${this.authority}${this.path}`
      : this.path;
  }

  toString(): string {
    const authority = this.authority || this.scheme === 'file' ? `//${encodeURI(this.authority.toLowerCase())}` : '';
    const query = this.query && `?${encodeURIComponent(this.query)}`;
    const fragment = this.fragment && `#${encodeURIComponent(this.fragment)}`;
    return `${this.scheme}:${authority}${this.path.split('/').map(encodeURIComponent).join('/')}${query}${fragment}`;
  }

  with(change: Partial<UriComponents>): Uri {
    const { scheme, authority, path, query, fragment } = this;
    return Uri.from({ scheme, authority, path, query, fragment, ...change });
  }

  /** The defined components, marked like VS Code's. */
  toJSON(): UriComponents {
    const parts = Object.entries({ ...this }).filter(([, value]) => value !== '');
    return { $mid: 1, ...Object.fromEntries(parts) } as unknown as UriComponents;
  }
}

/** In these schemes a path starts with a slash, written or not. */
function rooted({ scheme, path }: { readonly scheme: string; readonly path: string }): string {
  const isRooted = path.startsWith('/') || !['https', 'http', 'file'].includes(scheme);
  return isRooted ? path : `/${path}`;
}

function check({ scheme, authority, path }: Uri): void {
  if (!/^\w[\w\d+.-]*$/.test(scheme)) throw new Error('[UriError]: Scheme contains illegal characters.');
  if (authority && path && !path.startsWith('/'))
    throw new Error(
      '[UriError]: If a URI contains an authority component, then the path component must either be empty or begin with a slash ("/") character',
    );
  if (!authority && path.startsWith('//'))
    throw new Error(
      '[UriError]: If a URI does not contain an authority component, then the path cannot begin with two slash characters ("//")',
    );
}
