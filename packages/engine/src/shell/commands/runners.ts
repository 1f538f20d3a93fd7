import { type Judge, unclear } from '../effects.ts';
import { simple, withVerbs } from './simple.ts';

/**
 * Runs code of the project, with any literal arguments. Files named by arguments count as written, so that all of them
 * must be inside the workspace: what the program does with them is unknown.
 */
export const projectTool: Judge = (args) => ({ writes: args.flatMap(pathIn) });

/**
 * The possible path in an argument: the whole argument, or the part after `=`. Arguments without a slash stay in the
 * current folder.
 */
function pathIn(arg: string): string[] {
  const value = arg.startsWith('-') ? arg.slice(arg.indexOf('=') + 1) : arg;
  if (arg.startsWith('-') && !arg.includes('=')) return [];
  return /^\/|^\.\.(?:\/|$)|\/\.\.(?:\/|$)|^~/.test(value) && !/^[a-z]+:\/\//i.test(value) ? [value] : [];
}

/** Programs that test, build, format or check a project. */
const tools =
  'vitest jest mocha ava tap playwright tsc tsgo tsx eslint prettier biome oxlint knip publint tsdown tsup rollup vite webpack esbuild turbo nx next nuxt astro svelte-check vue-tsc typedoc stylelint markdownlint markdownlint-cli2 cspell c8 nyc pytest py.test mypy pyright ruff black isort flake8 pylint tox nox rspec rubocop phpunit phpstan golangci-lint gofmt gofumpt goimports staticcheck rustfmt shellcheck hadolint actionlint ctest ninja swiftlint ktlint detekt just task'.split(
    ' ',
  );

const script = withVerbs({
  global: { short: 's', long: 'silent version' },
  verbs: {},
  otherwise: (name) => (/^[\w:.-]+$/.test(name) ? projectTool : undefined),
});

const npmFlags = {
  short: 'sw:vD',
  long: 'silent workspace= workspaces if-present include-workspace-root version prefer-offline no-audit no-fund save-dev ignore-scripts json depth= production omit= legacy-peer-deps frozen-lockfile all',
} as const;

const install = simple({ ...npmFlags, operands: ({ operands }) => packages(operands) });
const named = simple({ ...npmFlags, operands: 'text' });

/** `npm run build -- --flag`: what follows the name of a script is for the script. */
const runScript: Judge = (args) => {
  const split = args.indexOf('--');
  const own = split < 0 ? args : args.slice(0, split);
  const found = simple({ ...npmFlags, operands: 'text' })(own);
  if ('unclear' in found) return found;
  return projectTool(args);
};

const nodeVerbs: Readonly<Record<string, Judge>> = {
  test: runScript,
  t: runScript,
  start: runScript,
  stop: runScript,
  run: runScript,
  'run-script': runScript,
  ci: install,
  install,
  i: install,
  add: install,
  ls: named,
  list: named,
  outdated: named,
  view: named,
  info: named,
  why: named,
  explain: named,
  audit: simple({ ...npmFlags, operands: 'none' }),
  root: named,
  prune: named,
  dedupe: named,
};

/** Commands of pnpm, yarn and bun that are not scripts of a project. */
const reserved =
  /^(?:publish|unpublish|deprecate|dlx|exec|x|create|init|config|set|get|link|unlink|login|logout|adduser|owner|access|token|team|hook|profile|global|patch|patch-commit|rebuild|env|store|server|upgrade|self-update|import|deploy|setup|remove|rm|uninstall|un|pack|version|node|plugin|repl|pm)$/;

const npmLike = ({ hasScripts }: { readonly hasScripts: boolean }): Judge =>
  withVerbs({
    global: hasScripts
      ? { short: 'rsvw', long: 'silent recursive version filter= workspace-root' }
      : { short: 'sv', long: 'silent version' },
    verbs: nodeVerbs,
    otherwise: (name) => (hasScripts && !reserved.test(name) && /^[\w:-]+$/.test(name) ? runScript : undefined),
  });

/** `npx tool …`: only known tools; others may be downloaded and run. */
const npx: Judge = (args) => {
  const [name, ...rest] = args.filter((arg, at) => !(at === 0 && arg === '--no-install'));
  return name !== undefined && tools.includes(name)
    ? { ...projectTool(rest), canonical: args }
    : unclear('it may download and run a program');
};

const goFlags = {
  short: '',
  long: 'v race short failfast json cover benchmem x n a run= count= timeout= tags= bench= benchtime= parallel= cpu= p= list= coverprofile= coverpkg= covermode= o= l w d s mod= ldflags= gcflags= skip= shuffle= m u f= deps vet= test',
  oneDash: true,
  writing: ['--o', '--coverprofile'],
  operands: 'text',
} as const;
const go = simple(goFlags);

const cargo = simple({
  short: 'vqp:j:rF:',
  long: 'release workspace all all-targets all-features no-default-features features= package= lib bins bin= tests test= examples example= benches verbose quiet locked offline frozen no-run no-fail-fast jobs= message-format= target= check fix allow-dirty allow-staged no-deps document-private-items depth= invert= duplicates nocapture exact',
  operands: ({ operands }) => ({ writes: operands.flatMap(pathIn) }),
});

const cargoVerb: Judge = (args) => {
  // What follows `--` is for the program that cargo built.
  const split = args.indexOf('--');
  const found = cargo(split < 0 ? args : args.slice(0, split));
  if ('unclear' in found || split < 0) return found;
  return { writes: [...(found.writes ?? []), ...args.slice(split + 1).flatMap(pathIn)] };
};

/** An interpreter with a file of the project: `node script.js`. Code on the command line or from a pipe is unknown. */
const interpreter =
  ({ flags, modules }: { readonly flags: RegExp; readonly modules?: RegExp }): Judge =>
  (args) => {
    const at = args.findIndex((arg) => !flags.test(arg));
    const [first, second] = [args[at], args[at + 1]];
    if (at < 0)
      return args.length === 1 && /^(?:--version|-v|-V)$/.test(args[0] ?? '')
        ? {}
        : unclear('it reads a program from its input');
    if (first === '-m' && modules !== undefined && second !== undefined && modules.test(second))
      return projectTool(args.slice(at + 2));
    if (first === undefined || first.startsWith('-') || first === '/dev/stdin')
      return unclear('its program is not a file');
    return { writes: [first, ...args.slice(at + 1).flatMap(pathIn)], reads: [first] };
  };

const shell = interpreter({ flags: /^(?:--version)$/ });
const python = interpreter({
  flags: /^(?:-u|-B|--version|-V)$/,
  modules: /^(?:pytest|unittest|mypy|ruff|black|isort|flake8|py_compile|compileall|json\.tool|tox|coverage)$/,
});

const make: Judge = (args) =>
  args.every(
    (arg) => /^(?:-j\d*|-[knsBj]|\d+|--(?:silent|dry-run|keep-going)|[\w./:-]+)$/.test(arg) && !arg.startsWith('/'),
  ) && !args.some((arg) => /^-[^jknsB-]|\.\.|^-(?:C|f|E)/.test(arg))
    ? {}
    : unclear('only targets are known');

const tasks: Judge = (args) =>
  args.every((arg) =>
    /^(?:-q|-B|-o|-DskipTests|-Dtest=[\w.#*,]+|--(?:info|stacktrace|offline|quiet|no-daemon|tests)|[\w:.-]+)$/.test(
      arg,
    ),
  ) && !args.some((arg) => /^exec|publish|deploy|upload|release/i.test(arg))
    ? {}
    : unclear('only its common tasks are known');

const dotnet = simple({
  short: 'c:v:f:',
  long: 'configuration= no-build no-restore filter= verbosity= framework= logger=',
  operands: ({ operands }) => ({ writes: operands.flatMap(pathIn) }),
});

/** `uv run pytest …` and the like. */
const through =
  (known: Readonly<Record<string, Judge>>): Judge =>
  ([verb, name = '', ...rest]) =>
    (verb === 'run' || verb === 'exec') && Object.hasOwn(known, name)
      ? (known[name]?.(rest) ?? unclear(''))
      : unclear('only run with a known tool is known');

const inner: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(tools.map((name) => [name, projectTool])),
  python,
  python3: python,
  rake: projectTool,
};

const known: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(tools.map((name) => [name, projectTool])),
  npm: npmLike({ hasScripts: false }),
  pnpm: npmLike({ hasScripts: true }),
  yarn: npmLike({ hasScripts: true }),
  bun: npmLike({ hasScripts: true }),
  npx,
  pnpx: npx,
  bunx: npx,
  node: interpreter({
    flags: /^(?:--test|--version|-v|--enable-source-maps|--experimental-strip-types|--no-warnings|--check)$/,
  }),
  deno: withVerbs({
    global: {},
    verbs: { test: projectTool, lint: projectTool, fmt: projectTool, check: projectTool },
  }),
  python,
  python3: python,
  ruby: interpreter({ flags: /^(?:-w|--version)$/ }),
  bash: shell,
  sh: shell,
  go: withVerbs({
    global: {},
    verbs: {
      test: go,
      build: go,
      vet: go,
      fmt: go,
      run: projectTool,
      list: go,
      version: go,
      env: simple({ operands: 'text' }),
      mod: only(['tidy', 'download', 'verify', 'graph', 'why']),
    },
  }),
  cargo: withVerbs({
    global: { long: 'version' },
    verbs: Object.fromEntries(
      ['test', 'build', 'check', 'clippy', 'fmt', 'run', 'doc', 'tree', 'bench', 'nextest'].map((verb) => [
        verb,
        cargoVerb,
      ]),
    ),
  }),
  make,
  rake: projectTool,
  gradle: tasks,
  gradlew: tasks,
  mvn: tasks,
  mvnw: tasks,
  dotnet: withVerbs({ global: {}, verbs: { test: dotnet, build: dotnet, restore: dotnet, format: dotnet } }),
  swift: withVerbs({ global: {}, verbs: { test: projectTool, build: projectTool } }),
  mise: withVerbs({ global: {}, verbs: { run: script, ls: named, tasks: named } }),
  uv: through(inner),
  poetry: through(inner),
  bundle: through(inner),
  pip: withVerbs({
    global: { long: 'version' },
    verbs: {
      list: named,
      show: named,
      freeze: named,
      install: simple({
        short: 'qr:Ue:',
        long: 'quiet requirement= upgrade editable=',
        operands: ({ operands }) => packages(operands),
      }),
    },
  }),
};

/** Programs that run code of the project, or work for it elsewhere. Their effects are not visible. */
export const runners: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(Object.entries(known).map(([name, judge]) => [name, inProject(judge)])),
  gh,
};

/** The code runs in the current folder and may change it, so the folder counts as written. */
function inProject(judge: Judge): Judge {
  return (args) => {
    const found = judge(args);
    return 'unclear' in found ? found : { ...found, writes: ['.', ...(found.writes ?? [])] };
  };
}

function gh(args: readonly string[]): ReturnType<Judge> {
  const [topic = '', verb = '', ...rest] = args;
  if (/^(?:--version|version)$/.test(topic)) return {};
  if (topic === 'api') {
    const parsed = simple({ short: 'q:H:', long: 'jq= paginate header=', operands: 'text' })(args.slice(1));
    return 'unclear' in parsed
      ? parsed
      : /^\/?graphql/.test(verb)
        ? unclear('the effect of its request is unknown')
        : {};
  }
  const isLook =
    /^(?:pr|issue|run|repo|release|workflow)$/.test(topic) && /^(?:view|list|diff|checks|status)$/.test(verb);
  if (!isLook && !(topic === 'auth' && verb === 'status')) return unclear('only read-only commands are known');
  return simple({
    short: 'R:L:s:q:A:l:B:H:c',
    long: 'json= jq= limit= repo= state= author= label= base= head= comments search= log log-failed job= name-only branch= patch',
    operands: 'text',
  })(rest);
}

function only(words: readonly string[]): Judge {
  return ([first = '', ...rest]) =>
    words.includes(first) && rest.every((arg) => /^[\w./@-]*$/.test(arg))
      ? {}
      : unclear(`the effect of ${first} is unknown`);
}

/** Package names, not URLs or folders elsewhere. */
function packages(operands: readonly string[]) {
  return operands.every((name) => /^@?[\w-]+(?:\/[\w.-]+)?(?:@[\w.^-]+|[=~<>]=[\w.]+)?$/.test(name))
    ? {}
    : unclear('it installs something other than a named package');
}
