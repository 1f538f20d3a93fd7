import { deniedBy, entriesOf, type ListedFolder, type Listing, topFolder } from './files.ts';

interface TreeNode {
  readonly name: string;
  readonly depth: number;
  readonly children: TreeNode[];
}

const defaultCharacters = 2_000;
const more = '...';

/**
 * The files of a workspace as an indented list for a prompt: the levels nearest to the root first, a tab for each level, a
 * slash behind folders, and `...` where entries of a folder did not fit. What code search leaves out is left out here.
 *
 * @example
 * workspaceTree({ root: realpathSync('.'), characters: 500 }); // 'src/\n\tindex.ts\npackage.json\n'
 */
export function workspaceTree({
  root,
  deny,
  characters = defaultCharacters,
  hidesDotFiles = false,
}: Listing & {
  /** How long the list may be. */
  readonly characters?: number;
  readonly hidesDotFiles?: boolean;
}): string {
  const denied = deniedBy({ root, ...(deny && { deny }) });
  const top: TreeNode = { name: '', depth: -1, children: [] };
  const queue: { readonly node: TreeNode; readonly folder: ListedFolder }[] = [
    { node: top, folder: topFolder({ root }) },
  ];
  let left = characters;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { node } = next;
    const { folders, files } = entriesOf({ root, folder: next.folder, denied });
    const isShown = (path: string) => !hidesDotFiles || !nameOf(path).startsWith('.');
    const rows = [
      ...folders.filter(({ path }) => isShown(path)).map((folder) => ({ name: `${nameOf(folder.path)}/`, folder })),
      ...files.filter(isShown).map((path) => ({ name: nameOf(path), folder: undefined })),
    ];
    const depth = node.depth + 1;
    const costOf = (name: string) => depth + name.length + 1;
    for (const { name, folder } of rows) {
      if (costOf(name) > left) {
        // Earlier siblings make room for the marker.
        while (costOf(more) > left) {
          const dropped = node.children.pop();
          if (!dropped) break;
          left += costOf(dropped.name);
        }
        if (costOf(more) <= left) node.children.push({ name: more, depth, children: [] });
        return print(top);
      }
      left -= costOf(name);
      const child: TreeNode = { name, depth, children: [] };
      node.children.push(child);
      if (folder) queue.push({ node: child, folder });
    }
  }
  return print(top);
}

function nameOf(path: string): string {
  // A name with a line break in it would look like two.
  return path.slice(path.lastIndexOf('/') + 1).replace(/\p{Cc}/gu, '?');
}

function print(top: TreeNode): string {
  const lines: string[] = [];
  const stack = [...top.children].reverse();
  for (let node = stack.pop(); node; node = stack.pop()) {
    lines.push(`${'\t'.repeat(node.depth)}${node.name}\n`);
    stack.push(...[...node.children].reverse());
  }
  return lines.join('');
}
