/**
 * `npm run packages [-- --update]`: stages and lints what would be published, from the builds that are there: publint and
 * arethetypeswrong on the packed files, versions that belong together, no sources, and the public types against the reports
 * in release/api (`--update` writes them).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { apiReport } from './api-report.ts';
import { root, type StagedPackage, stagePackages } from './stage.ts';

const { values } = parseArgs({ options: { update: { type: 'boolean', default: false } } });
const out = mkdtempSync(join(tmpdir(), 'longhaul-packages-'));
try {
  const staged = stagePackages({ out });
  const problems = [...versionProblems(staged)];
  for (const each of staged) {
    problems.push(...fileProblems(each), ...(await publintProblems(each)), ...(await typeProblems(each)));
    problems.push(...reportProblems(each));
    const size = `${kilobytes(each.packedBytes)} packed, ${kilobytes(each.bytes)} unpacked`;
    console.log(`packages: ${each.manifest.name} ${each.manifest.version}: ${each.files.length} files, ${size}`);
  }
  for (const problem of problems) console.error(`packages: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  rmSync(out, { recursive: true });
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000).toLocaleString('en')} kB`;
}

/** All packages have one version, and depend on exactly that version of each other. */
function versionProblems(staged: readonly StagedPackage[]): string[] {
  const [{ version } = { version: '' }] = staged.map(({ manifest }) => manifest);
  const names = new Set(staged.map(({ manifest }) => manifest.name));
  return staged.flatMap(({ manifest }) => {
    const needed = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
    const wrong = needed.filter(([name, range]) => names.has(name) && range !== version);
    return [
      ...(manifest.version === version ? [] : [`${manifest.name} is ${manifest.version}, others are ${version}.`]),
      ...wrong.map(([name, range]) => `${manifest.name} depends on ${name} ${range}; the version is ${version}.`),
    ];
  });
}

function fileProblems({ manifest, files }: StagedPackage): string[] {
  const unwanted = files.filter(
    (file) => /^src\/|\.tsx?$|\.map$|fixture|\.test\./.test(file) && !file.endsWith('.d.ts'),
  );
  const missing = ['LICENSE', 'README.md', 'package.json'].filter((file) => !files.includes(file));
  return [
    ...unwanted.map((file) => `${manifest.name} has ${file}, which users do not need.`),
    ...missing.map((file) => `${manifest.name} has no ${file}.`),
  ];
}

async function publintProblems({ path, manifest }: StagedPackage): Promise<string[]> {
  const { messages, pkg } = await publint({ pkgDir: path, pack: false, strict: true });
  return messages
    .filter(({ type }) => type !== 'suggestion')
    .map((message) => `${manifest.name}: ${formatMessage(message, pkg, { color: false })} (publint)`);
}

/** The packages have ES modules only, so CommonJS and the resolution of Node 10 are left out. */
async function typeProblems({ tarball, manifest }: StagedPackage): Promise<string[]> {
  const checked = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!checked.types) return Object.keys(manifest.exports).length > 1 ? [`${manifest.name} has no types.`] : [];
  return checked.problems.flatMap((problem) => {
    const how = 'resolutionKind' in problem ? problem.resolutionKind : undefined;
    if (how === 'node10' || how === 'node16-cjs') return [];
    const where = 'entrypoint' in problem ? problem.entrypoint : '';
    return [`${manifest.name}${where.slice(1)}: ${problem.kind} with ${how ?? 'any resolution'} (arethetypeswrong)`];
  });
}

function reportProblems({ folder, path, manifest }: StagedPackage): string[] {
  const text = apiReport({ folder: path, exports: manifest.exports });
  if (text.trim() === '') return [];
  const file = `release/api/${folder}.txt`;
  if (values.update) writeFileSync(join(root, file), text);
  const known = readIfThere(join(root, file));
  if (known === text) return [];
  const [before, after] = [known.split('\n'), text.split('\n')];
  const at = after.findIndex((line, index) => line !== before[index]);
  const change = `line ${at + 1} is "${after[at] ?? ''}", was "${before[at] ?? ''}"`;
  return [
    `the public types of ${manifest.name} differ from ${file}: ${change}. \`npm run packages -- --update\` writes it.`,
  ];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
