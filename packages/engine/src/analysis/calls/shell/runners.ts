import type { Program } from './program.ts';

/** Programs that judge the code whatever their arguments. */
const judges = new Set([
  'vitest',
  'jest',
  'pytest',
  'py.test',
  'mocha',
  'ava',
  'tap',
  'playwright',
  'cypress',
  'tsc',
  'tsgo',
  'eslint',
  'biome',
  'oxlint',
  'ultracite',
  'golangci-lint',
  'ruff',
  'mypy',
  'pyright',
  'flake8',
  'pylint',
  'tox',
  'nox',
  'rspec',
  'rubocop',
  'phpunit',
  'phpstan',
  'ctest',
  'make',
  'ninja',
  'gradle',
  'gradlew',
  'mvn',
  'mvnw',
  'xcodebuild',
  'shellcheck',
  'clippy-driver',
  'Invoke-Pester',
]);

/** Programs that judge only under some of their commands. */
const commands: ReadonlyMap<string, RegExp> = new Map([
  ['go', /^(?:test|build|vet)$/],
  ['cargo', /^(?:test|build|check|clippy|nextest|run)$/],
  ['dotnet', /^(?:test|build)$/],
  ['swift', /^(?:test|build)$/],
  ['deno', /^(?:test|check|lint|task)$/],
  ['bun', /^(?:test|run|x)$/],
  ['node', /^--test$/],
  ['cmake', /^--build$/],
  ['bazel', /^(?:test|build)$/],
  ['zig', /^(?:test|build)$/],
  ['mix', /^(?:test|compile|credo)$/],
  ['python', /^-m$/],
  ['python3', /^-m$/],
]);

/** Programs that run scripts of a project; the script's name tells whether it judges. */
const hosts = new Set([
  'npm',
  'pnpm',
  'yarn',
  'npx',
  'bunx',
  'mise',
  'just',
  'task',
  'turbo',
  'nx',
  'lerna',
  'uv',
  'poetry',
  'rake',
]);

const judging = /test|spec|check|lint|build|compile|typecheck|tsc|tsgo|verify|validate|vitest|jest|pytest|mocha|e2e/i;

/** Whether a program runs tests, a type checker, a linter or a build. */
export function isRunner({ name, args }: Program): boolean {
  if (judges.has(name)) return true;
  const first = args[0]?.text ?? '';
  const known = commands.get(name);
  if (known?.test(first)) return !first.startsWith('-m') || judging.test(args[1]?.text ?? '');
  return hosts.has(name) && args.slice(0, 4).some(({ text }) => !text.startsWith('-') && judging.test(text));
}
