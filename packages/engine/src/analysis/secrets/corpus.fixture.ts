import { contextShapes, tokenShapes } from './shapes.fixture.ts';

/** Chance from a seed, e.g. `createRandom` of `longhaul/testing`. */
interface Random {
  int(min: number, max: number): number;
}

/** A text with a secret that a mask must remove. */
export interface PlantedSecret {
  readonly name: string;
  readonly text: string;
  /** Parts of the secret; none may be in the masked text. */
  readonly cores: readonly string[];
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: Readonly<Record<string, string>> = {
  an: `${letters}${letters.toUpperCase()}0123456789`,
  up: `${letters.toUpperCase()}0123456789`,
  lo: `${letters}0123456789`,
  hex: '0123456789abcdef',
  b64: `${letters}${letters.toUpperCase()}0123456789+/`,
  url: `${letters}${letters.toUpperCase()}0123456789-_`,
  dig: '123456789',
  a2: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  b58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  pw: `${letters}${letters.toUpperCase()}0123456789!@%^*-_+`,
};

/** What a line with a secret looks like where agents meet it. */
const lineContexts: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  sentence: (text) => `I set it up like this: ${text}`,
  'added line of a diff': (text) => prefixed({ text, prefix: () => '+' }),
  'removed line of a diff': (text) => prefixed({ text, prefix: () => '-' }),
  'grep -n': (text) => prefixed({ text, prefix: (line) => `config/app.env:${line + 12}:` }),
  'cat -n': (text) => prefixed({ text, prefix: (line) => `${String(line + 1).padStart(6)}\t` }),
  'numbered lines': (text) => prefixed({ text, prefix: (line) => `${String(line + 1).padStart(5)}→` }),
  'quoted mail': (text) => prefixed({ text, prefix: () => '> ' }),
  'JSON string': (text) => JSON.stringify({ output: `before\n${text}\nafter` }),
  'JSON in JSON': (text) => JSON.stringify({ arguments: JSON.stringify({ content: `x\n${text}\ny` }) }),
  'code block': (text) => `\`\`\`\n${text}\n\`\`\``,
};

/** Where only the token itself is shown. */
const tokenContexts: Readonly<Record<string, (token: string) => string>> = {
  backticks: (token) => `use \`${token}\` here`,
  'JSON member': (token) => JSON.stringify({ output: token }),
  colored: (token) => `\u001b[32m${token}\u001b[0m`,
  argument: (token) => `tool login ${token} --yes`,
  parentheses: (token) => `connect(${token})`,
};

/** Private keys of several lines: kind, header lines, whether it is cut. */
const blocks: readonly { readonly label: string; readonly headers?: readonly string[] }[] = [
  { label: 'RSA PRIVATE KEY' },
  { label: 'RSA PRIVATE KEY', headers: ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,#32:hex#', ''] },
  { label: 'PRIVATE KEY' },
  { label: 'ENCRYPTED PRIVATE KEY' },
  { label: 'EC PRIVATE KEY' },
  { label: 'DSA PRIVATE KEY' },
  { label: 'OPENSSH PRIVATE KEY' },
  { label: 'PGP PRIVATE KEY BLOCK', headers: ['Version: GnuPG v2', 'Comment: me', ''] },
  { label: 'PGP PRIVATE KEY BLOCK', headers: [''] },
];

const blockContexts: Readonly<Record<string, (text: string) => string>> = {
  ...lineContexts,
  sentence: (text) => `here it is:\n${text}\nas promised`,
  'context line of a diff': (text) => prefixed({ text, prefix: () => ' ' }),
  'grep -n with context': (text) =>
    prefixed({ text, prefix: (line) => (line === 0 ? 'a/key.pem:1:' : `a/key.pem-${line + 1}-`) }),
  'YAML block': (text) => `tls:\n  key: |\n${prefixed({ text, prefix: () => '    ' })}\n  other: 1`,
  'compose log': (text) => prefixed({ text, prefix: () => 'web-1  | ' }),
  comment: (text) => prefixed({ text, prefix: () => '# ' }),
  'concatenated strings': (text) =>
    text
      .split('\n')
      .map((line) => `  "${line}\\n" +`)
      .join('\n'),
  'without its end': (text) => text.split('\n').slice(0, -2).join('\n'),
  'without its beginning': (text) => text.split('\n').slice(3).join('\n'),
  'diff without its end': (text) => prefixed({ text: text.split('\n').slice(0, -2).join('\n'), prefix: () => '+' }),
  base64: (text) => `tls.key: ${Buffer.from(text).toString('base64')}`,
};

/**
 * Texts with secrets in every shape of the list and in every place where agents meet them.
 *
 * @example
 * const missed = secretCorpus({ random: createRandom(1) }).filter(({ text, cores }) => cores.some((core) => mask(text).includes(core)));
 */
export function secretCorpus({ random }: { readonly random: Random }): PlantedSecret[] {
  return [...tokens(random), ...named(random), ...privateKeys(random)];
}

function* tokens(random: Random): Generator<PlantedSecret> {
  for (const [shape, template] of Object.entries(tokenShapes)) {
    const contexts = { ...lineContexts, ...(template.includes('<<') ? {} : tokenContexts) };
    for (const [context, wrap] of Object.entries(contexts)) {
      const { text, core } = expand({ template, random });
      yield { name: `${shape}, ${context}`, text: wrap(text), cores: coresOf(core) };
    }
  }
}

function* named(random: Random): Generator<PlantedSecret> {
  for (const [shape, template] of Object.entries(contextShapes)) {
    for (const [context, wrap] of Object.entries(lineContexts)) {
      const { text, core } = expand({ template, random });
      yield { name: `${shape}, ${context}`, text: wrap(text), cores: coresOf(core) };
    }
  }
}

function* privateKeys(random: Random): Generator<PlantedSecret> {
  for (const { label, headers = [] } of blocks) {
    for (const [context, wrap] of Object.entries(blockContexts)) {
      const lines = Array.from({ length: random.int(4, 30) }, () => draw({ random, length: 64, alphabet: 'b64' }));
      const last = draw({ random, length: 24, alphabet: 'b64' });
      const filled = headers.map((header) => expand({ template: header, random }).text);
      const text = [`-----BEGIN ${label}-----`, ...filled, ...lines, last, `-----END ${label}-----`].join('\n');
      const shown = context === 'without its beginning' ? lines.slice(2) : lines;
      const cores = context === 'base64' ? [Buffer.from(text).toString('base64').slice(80, 120)] : shown;
      yield { name: `${label}${headers.length > 0 ? ' with headers' : ''}, ${context}`, text: wrap(text), cores };
    }
  }
}

/** A template with its alphabets drawn, and the part of it that is secret. */
function expand({ template, random }: { readonly template: string; readonly random: Random }) {
  const filled = template.replace(/#(\d+):(\w+)#/g, (_, length: string, alphabet: string) =>
    draw({ random, length: Number(length), alphabet }),
  );
  const core = /<<(.*)>>/s.exec(filled)?.[1] ?? filled;
  return { text: filled.replace('<<', '').replace('>>', ''), core };
}

/** The end of a secret, and its middle: a mask that stops in between has not masked it. */
function coresOf(secret: string): string[] {
  const half = Math.floor(secret.length / 2);
  const parts =
    secret.length > 24
      ? [secret.slice(half - 8, half + 8), secret.slice(-10)]
      : [secret.slice(-Math.min(10, secret.length))];
  return parts;
}

function draw(of: { readonly random: Random; readonly length: number; readonly alphabet: string }): string {
  const characters = alphabets[of.alphabet];
  if (characters === undefined) throw new Error(`There is no alphabet "${of.alphabet}".`);
  const drawn = Array.from({ length: of.length }, () => characters.charAt(of.random.int(0, characters.length - 1)));
  if (of.alphabet === 'pw') drawn[0] = 'k';
  // Without a digit it would be a word.
  if (of.length > 6 && !drawn.some((character) => /\d/.test(character))) drawn[3] = '7';
  return drawn.join('');
}

function prefixed({ text, prefix }: { readonly text: string; readonly prefix: (line: number) => string }): string {
  return text
    .split('\n')
    .map((line, index) => `${prefix(index)}${line}`)
    .join('\n');
}
