import { isInPlace } from './files.ts';
import { operands, type Program } from './program.ts';

/** Programs that only look: whatever they say, nothing was done. */
const lookers = new Set([
  ...[
    'ls',
    'cat',
    'head',
    'tail',
    'nl',
    'less',
    'more',
    'bat',
    'wc',
    'file',
    'stat',
    'tree',
    'du',
    'df',
    'sort',
    'uniq',
  ],
  ...[
    'grep',
    'egrep',
    'fgrep',
    'rg',
    'ag',
    'find',
    'fd',
    'which',
    'type',
    'echo',
    'printf',
    'pwd',
    'cd',
    'true',
    'date',
  ],
  ...[
    'jq',
    'cut',
    'awk',
    'tr',
    'column',
    'diff',
    'cmp',
    'md5',
    'md5sum',
    'shasum',
    'sha256sum',
    'basename',
    'dirname',
    'xxd',
    'hexdump',
    'od',
    'strings',
    'ps',
    'pgrep',
    'whoami',
    'uname',
  ],
  ...['Get-Content', 'Get-ChildItem', 'Get-Item', 'Select-String', 'Select-Object', 'Where-Object', 'Format-Table'],
]);

const gitLooks =
  /^(?:status|log|show|diff|blame|branch|rev-parse|rev-list|ls-files|ls-tree|cat-file|remote|describe|grep|reflog|config|worktree)$/;

/** Whether a program only looks at things. */
export function isLook(program: Program): boolean {
  const { name, args } = program;
  if (name === 'sed') return !isInPlace(args);
  if (name !== 'git') return lookers.has(name);
  const words = operands(program).map(({ text }) => text);
  // `git branch`, `git remote` and `git worktree` do something as soon as they are told what.
  const verb = words.find((word) => /^[a-z-]+$/.test(word)) ?? '';
  const isTold = /^(?:branch|remote|worktree)$/.test(verb) && words.at(-1) !== verb && words.at(-1) !== 'list';
  const isSet = verb === 'config' && words.length > words.indexOf(verb) + 2;
  return gitLooks.test(verb) && !isTold && !isSet;
}
