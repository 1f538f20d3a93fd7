import * as fs from 'node:fs';
import { join, relative } from 'node:path';
import type { Primitives } from '../files.ts';

/** One call to the operating system, or an acknowledgement to the caller of the store. */
export type Event =
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'create'; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly bytes: Uint8Array; readonly at: number }
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'acknowledged'; readonly handles: readonly number[] };

/** The real calls, written down. */
export function recordedDisk(dir: string): { readonly system: Primitives; readonly events: Event[] } {
  const events: Event[] = [];
  const open = new Map<number, { readonly path: string; at: number }>();
  const local = (path: string): string => relative(dir, path);
  return {
    events,
    system: {
      mkdirSync(path) {
        fs.mkdirSync(path);
        events.push({ kind: 'mkdir', path: local(path) });
      },
      openSync(path, flags, mode) {
        const file = fs.openSync(path, flags, mode);
        open.set(file, { path: local(path), at: 0 });
        if (flags.includes('w')) events.push({ kind: 'create', path: local(path) });
        return file;
      },
      writeSync(file, bytes, offset) {
        // Few bytes at a time, as a system may do.
        const some = bytes.subarray(offset, offset + 20_000);
        fs.writeSync(file, some);
        const state = open.get(file);
        if (state) {
          events.push({ kind: 'write', path: state.path, bytes: some.slice(), at: state.at });
          state.at += some.length;
        }
        return some.length;
      },
      fsyncSync(file) {
        fs.fsyncSync(file);
        events.push({ kind: 'sync', path: open.get(file)?.path ?? '' });
      },
      closeSync(file) {
        fs.closeSync(file);
        open.delete(file);
      },
      renameSync(from, to) {
        fs.renameSync(from, to);
        events.push({ kind: 'rename', from: local(from), to: local(to) });
      },
      readFileSync: (path) => fs.readFileSync(path),
    },
  };
}

interface Folder {
  readonly names: Map<string, Node>;
  /** What the disk knows of its names. */
  durable: Map<string, Node>;
}

interface File {
  bytes: Uint8Array;
  durable: Uint8Array;
}

type Node = Folder | File;

/**
 * What a disk holds after these events and a power cut: bytes of files that were synced, names in folders that were
 * synced. `lucky` says of each thing that was not synced whether the disk had written it all the same.
 */
export function survivors({
  events,
  into,
  lucky = () => false,
}: {
  readonly events: readonly Event[];
  readonly into: string;
  readonly lucky?: () => boolean;
}): void {
  const root: Folder = { names: new Map(), durable: new Map() };
  const folderOf = (path: string): { readonly folder: Folder; readonly name: string } => {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    let folder = root;
    for (const part of parts) {
      const next = folder.names.get(part) ?? { names: new Map(), durable: new Map() };
      folder.names.set(part, next);
      if (!('names' in next)) throw new Error(`${path} goes through a file`);
      folder = next;
    }
    return { folder, name };
  };
  const nodeOf = (path: string): Node | undefined => {
    if (path === '') return root;
    const { folder, name } = folderOf(path);
    return folder.names.get(name);
  };
  for (const event of events) {
    if (event.kind === 'mkdir' || event.kind === 'create') {
      const { folder, name } = folderOf(event.path);
      const file: File = { bytes: new Uint8Array(), durable: new Uint8Array() };
      folder.names.set(name, event.kind === 'create' ? file : { names: new Map(), durable: new Map() });
    } else if (event.kind === 'write') {
      const node = nodeOf(event.path);
      if (node && 'bytes' in node) node.bytes = Buffer.concat([node.bytes.subarray(0, event.at), event.bytes]);
    } else if (event.kind === 'sync') {
      const node = nodeOf(event.path);
      if (node && 'bytes' in node) node.durable = node.bytes;
      else if (node) node.durable = new Map(node.names);
    } else if (event.kind === 'rename') {
      const from = folderOf(event.from);
      const to = folderOf(event.to);
      const node = from.folder.names.get(from.name);
      from.folder.names.delete(from.name);
      if (node) to.folder.names.set(to.name, node);
    }
  }
  write({ folder: root, into, lucky });
}

function write({ folder, into, lucky }: { folder: Folder; into: string; lucky: () => boolean }): void {
  fs.mkdirSync(into, { recursive: true });
  for (const [name, node] of lucky() ? folder.names : folder.durable) {
    const path = join(into, name);
    if ('bytes' in node) fs.writeFileSync(path, lucky() ? node.bytes : node.durable);
    else write({ folder: node, into: path, lucky });
  }
}
