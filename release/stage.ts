import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root: string = join(import.meta.dirname, '..');

/** A `package.json`, as far as it is read here. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  /** What a package bundles. */
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly repository?: object;
  readonly [member: string]: unknown;
}

/** A package of the workspace. */
export interface WorkspacePackage {
  /** Its folder in `packages`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The packages of the workspace; one that others depend on is before them. */
export function workspacePackages(): WorkspacePackage[] {
  const found = readdirSync(join(root, 'packages')).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as Manifest;
    return { folder, manifest };
  });
  const ordered: WorkspacePackage[] = [];
  const add = (each: WorkspacePackage): void => {
    if (ordered.includes(each)) return;
    const { dependencies = {} } = each.manifest;
    for (const other of found) if (dependencies[other.manifest.name] !== undefined) add(other);
    ordered.push(each);
  };
  for (const each of found) add(each);
  return ordered;
}

/** A package as it is published. */
export interface StagedPackage extends WorkspacePackage {
  /** The folder with its files. */
  readonly path: string;
  readonly tarball: string;
  /** Bytes of the tarball, and of what is in it. */
  readonly packedBytes: number;
  readonly bytes: number;
  readonly files: readonly string[];
}

/**
 * Copies what is published of each package to a folder, and packs it. What only this repository needs is left out of the
 * manifests: scripts, development dependencies, and the condition under which the sources are used instead of the build.
 *
 * @example
 * const staged = stagePackages({ out: mkdtempSync(join(tmpdir(), 'packages-')) });
 */
export function stagePackages({
  out,
  repository = process.env.GITHUB_REPOSITORY,
}: {
  readonly out: string;
  /** `owner/name` on GitHub. npm compares it with the origin of a build that is published with provenance. */
  readonly repository?: string | undefined;
}): StagedPackage[] {
  mkdirSync(out, { recursive: true });
  const packages = workspacePackages();
  return packages.map(({ folder, manifest }) => {
    const source = join(root, 'packages', folder);
    const path = join(out, folder);
    for (const file of pack({ folder: source, flags: ['--dry-run'] }).files) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      copyFileSync(join(source, file), join(path, file));
    }
    const published = publishedManifest({ manifest, folder, repository });
    const inside = packages.filter((each) => each.folder === folder || manifest.dependencies?.[each.manifest.name]);
    const notices = licensesOf(new Set(inside.flatMap((each) => Object.keys(each.manifest.devDependencies ?? {}))));
    if (notices !== '') writeFileSync(join(path, 'THIRD_PARTY_LICENSES.txt'), notices);
    writeFileSync(join(path, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
    const { filename, size, unpackedSize, files } = pack({ folder: path, flags: ['--pack-destination', out] });
    return {
      folder,
      manifest: published,
      path,
      tarball: join(out, filename),
      packedBytes: size,
      bytes: unpackedSize,
      files,
    };
  });
}

/** The licenses of what a package bundles, with what that depends on; they ask to be passed on. */
function licensesOf(names: ReadonlySet<string>): string {
  const bundled = new Set(names);
  for (const name of bundled) {
    const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Manifest;
    for (const other of Object.keys(manifest.dependencies ?? {})) bundled.add(other);
  }
  return [...bundled]
    .toSorted()
    .flatMap((name) => {
      const folder = join(root, 'node_modules', name);
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      return file === undefined ? [] : [`${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`];
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly string[];
}

function pack({ folder, flags }: { readonly folder: string; readonly flags: readonly string[] }): Packed {
  const args = ['pack', '--json', '--ignore-scripts', ...flags];
  const printed = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  // npm 12 prints an object by name, versions before it a list.
  const [packed] = Object.values(
    JSON.parse(printed) as Record<string, Packed & { files: readonly { path: string }[] }>,
  );
  if (!packed) throw new Error(`npm packed nothing in ${folder}.`);
  const files = (packed.files as readonly { readonly path: string }[]).map(({ path }) => path);
  return { ...packed, files };
}

function publishedManifest({
  manifest: { scripts, devDependencies, exports, ...manifest },
  folder,
  repository,
}: {
  readonly manifest: Manifest;
  readonly folder: string;
  readonly repository: string | undefined;
}): Manifest {
  const targets = Object.entries(exports).map(([subpath, target]) => {
    if (typeof target === 'string') return [subpath, target];
    const { 'longhaul-source': source, ...built } = target;
    return [subpath, built];
  });
  const url = `git+https://github.com/${repository}.git`;
  return {
    ...manifest,
    exports: Object.fromEntries(targets),
    ...(repository && { repository: { type: 'git', url, directory: `packages/${folder}` } }),
    ...(devDependencies && { files: [...(manifest.files ?? []), 'THIRD_PARTY_LICENSES.txt'] }),
    publishConfig: { access: 'public' },
  };
}
