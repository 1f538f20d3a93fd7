/**
 * `npm run release [-- patch|minor|major] [--write | --publish]`: releases all packages with one version.
 *
 *     npm run release                    what would be released; changes nothing
 *     npm run release -- minor --write   writes the version into the manifests, and the notes into the changelog; commit that
 *     npm run release -- --publish       in CI, on that commit: publishes with provenance
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Level, leastLevel, levels, nextVersion, notesOf, released } from './notes.ts';
import { root, stagePackages, workspacePackages } from './stage.ts';

const changelogFile = join(root, 'CHANGELOG.md');
const changelog = readFileSync(changelogFile, 'utf8');
const packages = workspacePackages();
const current = packages[0]?.manifest.version ?? '';

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: { type: 'boolean', default: false }, publish: { type: 'boolean', default: false } },
  });
  if (values.write && values.publish) throw new Error('Use --write first, commit, and then --publish in CI.');
  if (values.publish) publish();
  else prepare({ chosen: positionals[0], isWritten: values.write });
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

function prepare({ chosen, isWritten }: { readonly chosen: string | undefined; readonly isWritten: boolean }): void {
  const notes = notesOf({ changelog, version: 'Unreleased' });
  if (notes === '')
    throw new Error('CHANGELOG.md has no notes under "## Unreleased". Describe what users will notice.');
  const least = leastLevel({ notes, version: current });
  const level = levels.find((each) => each === (chosen ?? least));
  if (!level) throw new Error(`"${chosen}" is no level. Use patch, minor or major.`);
  if (levels.indexOf(level) < levels.indexOf(least))
    throw new Error(
      `The notes ask for a ${least} release, not a ${level} one: something was removed, breaks or was added.`,
    );
  const version = nextVersion({ version: current, level: level satisfies Level });
  console.log(
    `${current} -> ${version} (${level}): ${packages.map(({ manifest }) => manifest.name).join(', ')}\n\n${notes}\n`,
  );
  if (!isWritten) {
    console.log('Nothing was changed. --write writes the version and the notes.');
    return;
  }
  const names = new Set(packages.map(({ manifest }) => manifest.name));
  for (const { folder } of packages) {
    const path = join(root, 'packages', folder, 'package.json');
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll(/"([^"\n]+)": "([^"\n]+)"/g, (whole, name: string, value: string) =>
      (name === 'version' || names.has(name)) && value === current ? `"${name}": "${version}"` : whole,
    );
    writeFileSync(path, changed);
  }
  writeFileSync(changelogFile, released({ changelog, version, date: new Date().toISOString().slice(0, 10) }));
  npm({ args: ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'] });
  console.log(`Written. Commit it, tag it v${version}, and run \`npm run release -- --publish\` in CI.`);
}

function publish(): void {
  if (notesOf({ changelog, version: current }) === '')
    throw new Error(`CHANGELOG.md has no notes for ${current}. Run \`npm run release -- --write\` first.`);
  if (execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }) !== '')
    throw new Error('There are changes that are not committed. Provenance is about a commit.');
  if (!process.env.ACTIONS_ID_TOKEN_REQUEST_URL || !process.env.GITHUB_REPOSITORY)
    throw new Error('Provenance needs GitHub Actions with the permission `id-token: write`. Publish from there.');
  npm({ args: ['run', '-s', 'build'] });
  npm({ args: ['run', '-s', 'packages'] });
  const out = mkdtempSync(join(tmpdir(), 'longhaul-release-'));
  try {
    for (const { tarball } of stagePackages({ out }))
      npm({ args: ['publish', tarball, '--provenance', '--access', 'public', '--ignore-scripts'] });
  } finally {
    rmSync(out, { recursive: true });
  }
}

function npm({ args }: { readonly args: readonly string[] }): void {
  execFileSync('npm', args, { cwd: root, stdio: 'inherit' });
}
