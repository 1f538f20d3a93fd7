import type { Random } from 'longhaul/testing';

type Words = readonly [string, ...string[]];

/** Commands that are allowed by a rule or under `--yes`, and what attacks start from. */
const commands: Words = [
  ...(['npm test', 'npm test', 'npm test -- --run a', 'echo a', 'printf x', 'test -f a', 'true', 'cd sub'] as const),
  ...[
    'cat a',
    'ls',
    'touch b',
    'grep x a',
    'sed -n 1p a',
    'sort a',
    'head -2 a',
    'mkdir c',
    'cp a b',
    'find . -name a',
  ],
  ...[
    'git status',
    'wc -l a',
    'date',
    'sleep 0',
    'tee b',
    'dd if=a of=b',
    'awk {print} a',
    'uniq a',
    'mv a b',
    'ln -s a l',
  ],
];

/** `rm` in the box is a canary. Targets are names in the box, so that a real one would only change the box. */
const forbidden: Words = ['rm a', 'rm -rf ../out', 'rm x', 'r"m" a', "'rm' a", 'rm'];

const wrappers: Words = [
  ...([
    'nice',
    'nice -n 5',
    'nohup',
    'timeout 5',
    'env',
    'env -S',
    'env CI=1',
    'env PATH=.',
    'command',
    'command -p',
  ] as const),
  ...[
    'builtin',
    'exec',
    'exec -a x',
    'setsid',
    'stdbuf -oL',
    'busybox',
    'xargs',
    'taskset 1',
    'time',
    'time -p',
    'eval',
  ],
  ...[
    'sh -c',
    'bash -c',
    'bash -c --',
    'dash -c',
    'trap',
    'coproc',
    '!',
    'if',
    'then',
    'function',
    'alias x=',
    'sudo',
    'chrt -i 0',
  ],
];

const words: Words = [
  ...([
    'a',
    'b',
    'sub',
    '../out/x',
    '.env',
    '.git/config',
    '.git/hooks/x',
    '-x',
    '--run',
    '-o',
    '-t',
    '-C',
    '-v',
  ] as const),
  ...[
    "'a[$(rm x)]'",
    '"a[`rm x`]"',
    '$(rm x)',
    '`rm x`',
    `\${x}`,
    '$x',
    '"$(rm x)"',
    "$'\\x72m'",
    '"$x"',
    '~',
    '*',
    '?',
  ],
  ...[
    '[a]',
    '{a,b}',
    '#',
    '\\#',
    '\\ #',
    '\\',
    '"',
    "'",
    '!',
    '=rm',
    'x=rm',
    '<(rm x)',
    '>(rm x)',
    '$((1<<2))',
    '((',
    '))',
  ],
  ...[
    '-e',
    '-exec',
    '-delete',
    '--output=../out/y',
    '-o../out/y',
    '--outp=../out/y',
    '-t../out',
    'of=../out/z',
    '1,2p',
    '1e rm x',
  ],
  ...[
    's/a/b/e',
    's/a/b/w ../out/w',
    'w ../out/w',
    '{system("rm x")}',
    '{print > "../out/p"}',
    '-c',
    'push',
    '--force',
    '-S',
  ],
];

const plainWords: Words = ['a', 'b', 'x y', 'sub', '--run', 'a;b', 'a && rm x', '$(rm x)', '# x', 'a\nrm x'];

const joints: Words = [
  ...([
    ' ',
    ' ',
    ' ; ',
    ';',
    ' && ',
    '&&',
    ' || ',
    ' | ',
    '|',
    '\n',
    ' & ',
    '&',
    ' |& ',
    ';;',
    '\\\n',
    ' \\; ',
    '\r',
    '\t',
  ] as const),
  ...['\u00a0', '\u2028', ' # ', '#', '\\ #;', '(', ')', '{ ', '; }', ' ;& ', '\u0001'],
];

const redirects: Words = [
  ...([
    '> b',
    '>b',
    '>> b',
    '2>&1',
    '>/dev/null',
    '2>/dev/null',
    '< a',
    '<a',
    '<< E\nrm x\nE\n',
    '<<E\n$(rm x)\nE\n',
  ] as const),
  ...[
    "<<'E'\nrm x\nE\n",
    '<<-E\n\tx\n\tE\nrm x',
    '<<E\\\nF\nx\nEF\nrm x\nE',
    '<<< "$(rm x)"',
    '<&0',
    '>&2',
    '>& ../out/x',
    '&> ../out/x',
  ],
  ...[
    '>| ../out/x',
    '<> ../out/x',
    '2> ../out/x',
    '> ../out/x',
    '12> x',
    '<1-5>x',
    '> .git/hooks/x',
    '< .env',
    '>$(rm x)',
    '3>&1',
  ],
];

const noise: Words = [
  '\\',
  "'",
  '"',
  '`',
  '$',
  '#',
  ';',
  '&',
  '|',
  '\n',
  '<',
  '>',
  '(',
  ')',
  '{',
  '}',
  '*',
  '~',
  '!',
  '=',
  ' ',
  '[',
  ']',
];

/**
 * A command line of allowed parts, with what attacks add to them: quotes, redirections, separators, expansions,
 * here-documents, options, wrappers, and characters in wrong places.
 */
export function hostileLine(random: Random): string {
  const parts: string[] = [];
  for (let count = random.int(1, 3); count > 0; count -= 1) {
    if (parts.length > 0) parts.push(random.pick(joints));
    parts.push(simpleCommand(random));
  }
  let line = parts.join('');
  for (let times = random.chance(0.3) ? random.int(1, 3) : 0; times > 0; times -= 1) {
    const at = random.int(0, line.length);
    line = random.chance(0.7)
      ? line.slice(0, at) + random.pick(noise) + line.slice(at)
      : line.slice(0, at) + line.slice(at + 1);
  }
  return line;
}

function simpleCommand(random: Random): string {
  let command = random.chance(0.15) ? random.pick(forbidden) : random.pick(commands);
  if (random.chance(0.15)) command = `${random.pick(wrappers)} ${command}`;
  for (let times = random.int(0, 2); times > 0; times -= 1)
    command += ` ${quoted({ random, word: random.pick(random.chance(0.5) ? plainWords : words) })}`;
  if (random.chance(0.2)) command += ` ${random.pick(redirects)}`;
  if (random.chance(0.05)) command = `${random.pick(['X=1', 'PATH=.', 'IFS=m', 'r\\m'])} ${command}`;
  return command;
}

function quoted({ random, word }: { readonly random: Random; readonly word: string }): string {
  switch (random.int(0, 5)) {
    case 0:
      return `'${word}'`;
    case 1:
      return `"${word}"`;
    case 2:
      return `${word.slice(0, 1)}'${word.slice(1)}'`;
    case 3:
      return `${word.slice(0, 1)}""${word.slice(1)}`;
    default:
      return word;
  }
}
