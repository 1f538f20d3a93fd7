import { globPattern } from '../glob.ts';

/** Path patterns of files that hold keys. */
export const secretGlobs: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/.envrc',
  '**/.{ssh,gnupg,aws,azure,kube}{,/**}',
  '**/.docker/config.json',
  '**/.config/{gh,gcloud,op,longhaul}/**',
  '**/id_{rsa,dsa,ecdsa,ed25519}{,.*}',
  '**/*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk}',
  '**/.{netrc,npmrc,pypirc,pgpass,htpasswd,git-credentials,vault-token,my.cnf,s3cfg,boto,dockercfg}',
  '**/.{bash,zsh,sh,psql,mysql,python,node_repl}_history',
  '**/{credentials,secrets,secret}{,.json,.yml,.yaml,.toml,.ini,.env}',
  '**/*service-account*.json',
  '**/*{.tfvars,.tfstate,.kubeconfig}',
  '**/.{password-store,pulumi,terraform.d}/**',
  '**/.m2/settings*.xml',
  '**/.{claude/.credentials,codex/auth,gemini/oauth_creds}.json',
  '/proc/*/{environ,mem}',
  '/etc/{shadow,gshadow,sudoers}{,.d/**,-}',
];

/** Templates of such files, and public keys. */
const harmless = /(?:^|\/)\.env\.(?:example|sample|template|dist|defaults?)$|\.pub$/i;

/** Made on first use: that takes longer than all other preparations of a run without file tools. */
let patterns: readonly ReturnType<typeof globPattern>[] | undefined;

/**
 * Whether a file usually holds keys, by its path. Case-insensitive, since some file systems are.
 *
 * @example
 * isSecretFile('/home/me/project/.env'); // true
 */
export function isSecretFile(path: string): boolean {
  const even = path.replaceAll('\\', '/');
  const known = patterns ?? secretGlobs.map((glob) => globPattern({ glob, isCaseless: true }));
  patterns = known;
  return !harmless.test(even) && known.some((pattern) => pattern.test(even));
}

/**
 * Files that control the instructions of agents, what runs later, and what is allowed: instructions, skills, hooks and
 * settings of agents, git and editors.
 */
const guarded = new RegExp(
  `(?:^|/)(?<name>${[
    // Instructions and skills of agents
    String.raw`(?:agents|claude|gemini|copilot|codex|qwen|crush|warp)(?:\.(?:local|override))?\.md$`,
    String.raw`skill\.md$`,
    String.raw`\.github/(?:copilot-instructions\.md$|instructions/|prompts/|chatmodes/|agents/|skills/|hooks/)`,
    String.raw`\.(?:cursorrules|windsurfrules|clinerules|roorules|goosehints|rules)(?:/|$)`,
    // Settings, hooks and servers of agents
    String.raw`longhaul\.config\.json$`,
    String.raw`\.(?:longhaul|claude|agents|cursor|windsurf|codex|gemini|copilot|opencode|roo|continue|aider[\w.-]*)(?:/|$)`,
    String.raw`\.config/(?:longhaul|opencode|goose|claude)(?:/|$)`,
    String.raw`\.?mcp\.json$`,
    String.raw`opencode\.jsonc?$`,
    // Git and what runs with it
    String.raw`\.git(?:/|$)`,
    String.raw`\.gitmodules$`,
    String.raw`\.(?:husky|githooks)(?:/|$)`,
    String.raw`\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)$`,
    String.raw`\.pre-commit-config\.ya?ml$`,
    // Editors and containers that run commands from a folder
    String.raw`\.vscode/(?:tasks|settings|launch|mcp|extensions)\.json$`,
    String.raw`\.idea/`,
    String.raw`\.devcontainer(?:/|\.json$)`,
  ].join('|')})`,
  'i',
);

/**
 * Whether writing a file could change instructions of agents, what runs later, or what is allowed.
 *
 * @example
 * isGuardedFile('/repo/.husky/pre-commit'); // true
 */
export function isGuardedFile(path: string): boolean {
  return guardedName(path) !== undefined;
}

/** The part of a path that makes it such a file, in lower case without trailing slashes: an allow rule must name it. */
export function guardedName(path: string): string | undefined {
  return guarded.exec(path.replaceAll('\\', '/'))?.groups?.name?.toLowerCase().replace(/\/$/, '');
}
