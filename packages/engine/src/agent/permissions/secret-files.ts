import { globPattern } from '../glob.ts';

/** Files that hold keys, by their names, as patterns of paths. */
export const secretGlobs: readonly string[] = [
  '**/.env',
  '**/.env.*',
  '**/.envrc',
  '**/.{ssh,gnupg,aws,azure,kube}{,/**}',
  '**/.docker/config.json',
  '**/.config/{gh,gcloud,op,longhaul}/**',
  '**/id_{rsa,dsa,ecdsa,ed25519}{,.*}',
  '**/*.{pem,key,p12,pfx,jks,keystore,kdbx,ppk}',
  '**/.{netrc,npmrc,pypirc,pgpass,htpasswd,git-credentials,vault-token}',
  '**/{credentials,secrets,secret}{,.json,.yml,.yaml,.toml,.ini,.env}',
  '**/*service-account*.json',
  '/etc/{shadow,gshadow,sudoers}{,.d/**,-}',
];

/** What only shows how such a file is to look, and halves of keys that are public. */
const harmless = /(?:^|\/)\.env\.(?:example|sample|template|dist|defaults?)$|\.pub$/i;

const patterns = secretGlobs.map((glob) => globPattern({ glob, isCaseless: true }));

/**
 * Whether a file is one in which keys are kept, by its path. Letters of any case: some disks make no difference.
 *
 * @example
 * isSecretFile('/home/me/project/.env'); // true
 */
export function isSecretFile(path: string): boolean {
  const even = path.replaceAll('\\', '/');
  return !harmless.test(even) && patterns.some((pattern) => pattern.test(even));
}

/** What decides about later work: the repository's own folder, with hooks that it runs, and Longhaul's settings. */
const guarded = /(?:^|\/)(?:\.git(?:\/|$)|longhaul\.config\.json$)/i;

/** Whether writing a file would change what runs or what is allowed later. */
export function isGuardedFile(path: string): boolean {
  return guarded.test(path.replaceAll('\\', '/'));
}
