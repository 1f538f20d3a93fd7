/** The fields between the `---` lines at the start of a text, and the rest. */
export interface Frontmatter {
  readonly fields: { readonly [name: string]: string | undefined };
  readonly body: string;
}

/**
 * Reads the subset of YAML that skills use: plain and quoted values, and blocks (`>` and `|`). Everything else
 * (anchors, tags, nesting) is ignored, so that no file can do more than be read. By hand because many skills are not valid
 * YAML (`description: Use when: …`, `*.ts files`), and `yaml` 2.9.1 reports errors for them or reads them as mappings.
 */
export function readFrontmatter(text: string): Frontmatter {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { fields: {}, body: text };
  const fields = new Map<string, string>();
  const lines = (match[1] ?? '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const field = /^([A-Za-z][\w-]*):[ \t]*((?:[^ \t].*)?)$/.exec(lines[at] ?? '');
    if (!field) continue;
    const [, name = '', value = ''] = field;
    const more: string[] = [];
    while (
      /^[ \t]+\S/.test(lines[at + 1] ?? '') ||
      ((lines[at + 1] ?? '') === '' && isBlock(value) && at + 1 < lines.length)
    ) {
      at += 1;
      more.push((lines[at] ?? '').trim());
    }
    fields.set(
      name,
      isBlock(value) ? more.join(value.startsWith('|') ? '\n' : ' ').trim() : plain([value, ...more].join(' ')),
    );
  }
  return { fields: Object.fromEntries(fields), body: text.slice(match[0].length) };
}

/**
 * The items of a list in a front matter: `a, b`, `[a, b]` or lines with dashes. Commas in parentheses separate nothing.
 *
 * @example
 * readList('Read, Bash(git log:*)'); // ['Read', 'Bash(git log:*)']
 */
export function readList(value: string | undefined): readonly string[] {
  const text = (value ?? '').trim().replace(/^\[([\s\S]*)\]$/, '$1');
  const isDashed = /^- /.test(text);
  const items = isDashed ? text.split(/(?:^|\s)- /) : splitAtCommas(text);
  return items.map((item) => plain(item)).filter((item) => item !== '');
}

function splitAtCommas(text: string): string[] {
  const items: string[] = [''];
  let depth = 0;
  for (const part of text.split(/([,()])/)) {
    if (part === '(') depth += 1;
    if (part === ')') depth = Math.max(0, depth - 1);
    if (part === ',' && depth === 0) items.push('');
    else items.push((items.pop() ?? '') + part);
  }
  return items;
}

function isBlock(value: string): boolean {
  return /^[>|][+-]?\d?$/.test(value.trim());
}

function plain(value: string): string {
  const text = value.trim();
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1).replaceAll("''", "'");
  if (text.length >= 2 && text.startsWith('"') && text.endsWith('"'))
    return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
  return text;
}
