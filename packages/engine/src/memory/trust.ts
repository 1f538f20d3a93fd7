import { pathKey, spoken, visible } from '../analysis/index.ts';
import { lexLiteral } from '../shell/index.ts';

/** Package managers and task runners: a script or target of the project follows. */
const scriptPrograms: Readonly<Record<string, RegExp>> = {
  npm: /^(?:test|ci|start|run(?:-script)? [\w:.-]+)$/,
  pnpm: /^(?:run [\w:.-]+|[\w:.-]+)$/,
  yarn: /^(?:run [\w:.-]+|[\w:.-]+)$/,
  bun: /^(?:test|run [\w:.-]+)$/,
  deno: /^(?:test|lint|fmt|check|task [\w:.-]+)$/,
  make: /^[\w:.-]+$/,
  just: /^[\w:.-]+$/,
  task: /^[\w:.-]+$/,
  rake: /^[\w:.-]+$/,
  mise: /^(?:run|tasks run) [\w:.-]+$/,
  nx: /^(?:run [\w:.-]+|test|build|lint)$/,
  turbo: /^(?:run [\w:.-]+|test|build|lint)$/,
  go: /^(?:test|build|vet|generate|fmt|mod (?:tidy|download|verify))$/,
  cargo: /^(?:test|build|check|clippy|fmt|bench|doc|nextest run)$/,
  dotnet: /^(?:test|build|format|restore)$/,
  swift: /^(?:test|build)$/,
  mix: /^(?:test|compile|format|credo|dialyzer)$/,
  composer: /^(?:test|install|run(?:-script)? [\w:.-]+)$/,
  uv: /^(?:sync|lock|run (?:pytest|ruff|mypy|pyright|black|isort|tox|nox|coverage|pre-commit))$/,
  poetry: /^(?:install|run (?:pytest|ruff|mypy|pyright|black|isort|tox|nox|coverage|pre-commit))$/,
  tox: /^[\w:.-]*$/,
  nox: /^[\w:.-]*$/,
  hatch: /^(?:test|fmt|run [\w:.-]+)$/,
  python: /^-m (?:pytest|unittest|mypy|ruff|black|isort|build|coverage|compileall|tox)$/,
  mvn: /^(?:test|verify|package|compile|install|clean)$/,
  gradle: /^[\w:.-]+$/,
  gradlew: /^[\w:.-]+$/,
  bazel: /^(?:test|build)$/,
  cmake: /^(?:--build)?$/,
  bundle: /^(?:install|exec (?:rspec|rake|rubocop))$/,
  zig: /^(?:build|test|fmt)$/,
};

/** Test runners, compilers and checkers, alone or through `npx`. */
const checkers =
  /^(?:vitest|jest|mocha|ava|tap|playwright|cypress|pytest|rspec|phpunit|ctest|ninja|tsc|tsgo|eslint|biome|prettier|oxlint|stylelint|knip|publint|tsdown|tsup|vite|webpack|rollup|esbuild|ruff|mypy|pyright|black|isort|flake8|pylint|golangci-lint|staticcheck|gofmt|gofumpt|rustfmt|rubocop|shellcheck|swiftlint|ktlint|detekt|pre-commit|vsce|lerna|changeset)$/;

/** Subcommands that publish, install named packages or change accounts are not remembered. */
const refusedScripts =
  /(?:^|[ :._-])(?:publish|deploy|release|login|logout|adduser|token|install|add|remove|uninstall|dlx|exec|x|upload|push|destroy|eject|up|update|upgrade|create|init|config|set|link|why|info|outdated|audit|patch|store|env|setup)(?:$|[ :._-])/;

const bareInstalls = /^(?:npm ci|composer install|poetry install|bundle install|mvn install)$/;

/**
 * The commands of a line that can be remembered, reduced to program, subcommand and script: `pnpm run lint`. Only scripts
 * of the project and well-known checkers; arguments are dropped, because they may come from anywhere.
 */
export function rememberedCommands(line: string): string[] {
  const lexed = lexLiteral(line.slice(0, 2_000));
  if (!lexed.isLiteral) return [];
  return lexed.commands.flatMap(({ words }) => {
    const texts = words.map(({ text }) => text);
    while (/^(?:\w+=.*|time|env|command|nice|timeout|\d+[smh]?)$/.test(texts[0] ?? '')) texts.shift();
    if (
      texts[0] === 'npx' ||
      (texts[0] === 'pnpm' && texts[1] === 'exec') ||
      (texts[0] === 'yarn' && texts[1] === 'exec')
    )
      texts.splice(0, texts[0] === 'npx' ? 1 : 2, 'npx');
    const command = reduced(texts);
    return command === undefined || isInstruction(command) ? [] : [command];
  });
}

function reduced([first = '', ...rest]: readonly string[]): string | undefined {
  const program = first.replace(/^\.\/(?=gradlew$)/, '').replace(/^python[\d.]*$/, 'python');
  if (program === 'npx') {
    const name = rest.find((word) => !word.startsWith('-'));
    return name !== undefined && checkers.test(name) ? `npx ${name}` : undefined;
  }
  if (checkers.test(program)) return program;
  const allowed = scriptPrograms[program];
  if (!allowed) return undefined;
  const isModule = program === 'python' && rest[0] === '-m';
  const operands = isModule
    ? ['-m', ...rest.slice(1)]
    : rest.filter((word) => !word.startsWith('-') || word === '--build');
  for (const length of [2, 1, 0]) {
    const words = operands.slice(0, length);
    const sub = words.join(' ');
    if (words.length < length || sub.length > 60 || !allowed.test(sub)) continue;
    const whole = [program, ...words].join(' ');
    return sub === '' && length === 0 && program !== 'tox' && program !== 'nox'
      ? undefined
      : refusedScripts.test(sub) && !bareInstalls.test(whole)
        ? undefined
        : whole;
  }
  return undefined;
}

/** Files that no session should be pointed to: secrets, generated code, dependencies. */
const refusedFiles =
  /(?:^|\/)(?:\.env(?:\.|$)|\.git\/|node_modules\/|dist\/|build\/|out\/|target\/|vendor\/|coverage\/|\.venv\/|__pycache__\/|\.ssh\/|\.aws\/|id_[a-z0-9]+$|[^/]*(?:secret|credential|password)[^/]*$|te?mp\/)|\.(?:pem|key|p12|pfx|kdbx|lock|log|map|snap|min\.js|png|jpe?g|gif|svg|ico|pdf|zip|gz|vsix)$|(?:^|\/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum|[^/]*\.(?:generated|g)\.\w+)$/i;

/** Instruction files are in the head of every session already. */
const instructionFiles =
  /(?:^|\/)(?:agents?(?:\.\w+)?\.md|claude(?:\.local)?\.md|gemini\.md|memory\.md|copilot-instructions\.md|\.(?:cursor|windsurf|cline)rules|skill\.md)$|(?:^|\/)\.(?:claude|cursor|github\/instructions|agents|opencode|codex)\//i;

/** With an extension, or such as Makefile. */
const fileName = /^[\w@+()[\]-].{0,80}\.\w{1,12}$|^[A-Z]\w{3,20}$/;

/** A file that can be remembered, relative to the root of the repository. */
export function rememberedFile({ path, root }: { readonly path: string; readonly root: string }): string | undefined {
  const key = pathKey({ path, root }).replace(/^(?:\.\/)+/, '');
  if (/^(?:[/~]|[a-z]:|\.\.)/i.test(key) || key.length > 160 || !/^[\w.@+()[\]/-]+$/.test(key)) return undefined;
  if (!fileName.test(key.slice(key.lastIndexOf('/') + 1)) || refusedFiles.test(key) || instructionFiles.test(key))
    return undefined;
  return isInstruction(key.replace(/[-_./]+/g, ' ')) ? undefined : key;
}

/** Attempts to command a reader rather than to state a fact. */
const commanding =
  /\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:instructions?|rules?|prompts?|previous|prior|above|earlier|guidelines|permissions?|safety|approval|confirmation|sandbox)\b|\b(?:system|developer) prompt\b|\byou are (?:now|no longer)\b|\bnew (?:instructions?|rules)\b|\b(?:jailbreak|do anything now|dan mode)\b|\bpretend (?:to be|you)\b|\bact as (?:an?|the) (?:admin|root|system|unrestricted)|<\/?(?:system|assistant|user|instructions?|tool)\b|\[\/?(?:system|inst)\b/i;

/** Effects that are never remembered as something to do. */
const dangerous =
  /\b(?:curl|wget|iwr|invoke-webrequest)\b|\|\s*(?:ba|z|da)?sh\b|\bbase64\b|\beval\b|\brm\s+-\w*[rf]|\bsudo\b|\bchmod\s+(?:-R\s+)?[0-7]{0,2}7[0-7]{0,1}7\b|--no-verify|--dangerously|--yolo|--trust-all|\b(?:disable|turn off|deactivate)\b.{0,40}\b(?:sandbox|permissions?|approval|auth|verification|security|checks?|hooks?|tests?)\b|\b(?:send|post|upload|print|echo|copy|paste|share|commit|exfiltrate|leak|email|forward)\b.{0,60}\b(?:secrets?|passwords?|tokens?|credentials?|api[ _-]?keys?|private keys?|\.env|env(?:ironment)? vars?|ssh keys?)\b|https?:\/\/|\bwww\.|\b(?:auto-?approve|without asking|without confirmation|force[- ]push|--force)\b/i;

const forbidding = /^(?:please )?(?:never|do not|don['’]?t|avoid|no\b|must not|stop)/i;

/** Whether a text tries to command its reader. Look-alike letters and invisible characters do not hide it. */
function isInstruction(text: string): boolean {
  return [text, visible(text), spoken(text)].some((form) => commanding.test(form));
}

/**
 * Whether a sentence of a person may become memory without a review. A rule that forbids something dangerous may; one
 * that asks for it must be added by hand.
 */
export function isSafeStatement(text: string): boolean {
  if (isInstruction(text)) return false;
  return forbidding.test(text) || ![text, visible(text), spoken(text)].some((form) => dangerous.test(form));
}
