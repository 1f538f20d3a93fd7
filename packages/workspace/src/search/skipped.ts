/** Which files and folders are never indexed, by their names alone. */

/** Larger files are data, whatever their names say. */
export const largestFile = 1_500_000;

const folders = new Set(
  (
    '.git .hg .svn node_modules bower_components jspm_packages out dist target coverage .next .nuxt .svelte-kit .turbo ' +
    '.cache .parcel-cache .gradle .idea .vs .vscode-test venv .venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache ' +
    '.terraform .longhaul pods deriveddata .output .yarn .pnpm-store elm-stuff _build ' +
    // Folders with credentials.
    '.ssh .aws .gnupg .azure .kube .docker .password-store .pulumi .terraform.d gcloud .codex'
  ).split(' '),
);

const names = new Set(
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb composer.lock gemfile.lock cargo.lock poetry.lock uv.lock pipfile.lock go.sum flake.lock .ds_store thumbs.db'.split(
    ' ',
  ),
);

const extension = new RegExp(
  `\\.(?:${[
    'jpe?g png gif bmp tiff? ico webp avif svg psd ai heic mp[34] wav ogg flac aac avi mov mkv webm m4[av]',
    'zip gz tgz bz2 xz zst 7z rar tar jar war ear apk ipa dmg iso deb rpm',
    'exe dll so dylib a o obj lib class pyc pyo wasm bin dat db sqlite3? mdb pack idx node',
    'pdf docx? xlsx? pptx? odt ttf otf woff2? eot map log lock snap',
    'pem key crt cer der p12 pfx keystore jks asc gpg min\\.js min\\.css bundle\\.js tsbuildinfo onnx pb h5 npz npy parquet',
  ]
    .join(' ')
    .split(' ')
    .join('|')})$`,
);

/** Files that hold credentials. A file that only shows how such a file looks is none. */
const secret = new RegExp(
  `^(?:${[
    String.raw`\.env(?:\.(?!example$|sample$|template$|dist$|defaults?$).*)?|\.envrc`,
    String.raw`\.(?:netrc|npmrc|pypirc|pgpass|htpasswd|git-credentials|vault-token|my\.cnf|s3cfg|boto|dockercfg)`,
    String.raw`\.(?:bash|zsh|sh|psql|mysql|python|node_repl)_history`,
    String.raw`\.?(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|env|txt))?`,
    String.raw`id_(?:rsa|dsa|ecdsa|ed25519)(?:\..*)?`,
    String.raw`.*service-account.*\.json|.*\.(?:tfstate|tfvars|kdbx|ppk|kubeconfig)`,
    String.raw`oauth_creds\.json`,
  ].join('|')})$`,
);

/** Whether a folder and all below it is left out. Case is ignored, since some file systems ignore it. */
export function isSkippedFolder(name: string): boolean {
  return folders.has(name.toLowerCase());
}

/** Whether a file is left out: media, archives, binaries, lock files, logs, credentials. */
export function isSkippedFile(name: string): boolean {
  const lower = name.toLowerCase();
  return names.has(lower) || extension.test(lower) || secret.test(lower);
}

/** Text that is not indexed: minified, generated, or a private key. */
export function isSkippedText(text: string): boolean {
  return (
    isMinified(text) || isGenerated(text) || /^\s{0,100}-----BEGIN [A-Z ]{0,40}PRIVATE KEY/.test(text.slice(0, 200))
  );
}

/** A line of over 10,000 characters, or lines of over 400 on average. */
function isMinified(text: string): boolean {
  let [lines, start] = [0, 0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > 10_000) return true;
    lines += 1;
    start = end + 1;
  }
  return text.length - start > 10_000 || (text.length > 4_000 && text.length > 400 * (lines + 1));
}

/** Text that a program wrote: its first lines say so. */
function isGenerated(text: string): boolean {
  return /@generated\b|\b(?:DO NOT EDIT|do not edit)\b.{0,40}(?:generated|GENERATED)|(?:[Gg]enerated|GENERATED) .{0,60}(?:DO NOT EDIT|do not edit|DO NOT MODIFY)/.test(
    text.slice(0, 1_000),
  );
}
