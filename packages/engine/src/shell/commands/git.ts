import { type ParsedArguments, readArguments } from '../arguments.ts';
import { type Effects, type Judge, type Unclear, unclear } from '../effects.ts';

/** Options of commands that only show history. `--output` writes a file and `--ext-diff` runs a program: not listed. */
const history = {
  short: 'pusnraizwbcMCRBlqgmtEFPhvS:G:U:L:n:',
  long: 'oneline stat=? shortstat numstat name-only name-status patch no-patch patch-with-stat graph all decorate=? no-decorate format= pretty=? max-count= since= until= after= before= author= committer= grep= no-merges merges first-parent follow reverse summary abbrev-commit no-abbrev-commit abbrev=? no-color color=? word-diff=? color-words=? cached staged check no-renames find-renames=? find-copies=? ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines unified= diff-filter= no-ext-diff no-textconv full-index binary raw minimal patience histogram exit-code quiet merge-base topo-order date-order author-date-order date= tags=? branches=? remotes=? glob= not no-walk=? left-right cherry-pick cherry-mark cherry left-only right-only ancestry-path dirstat=? compact-summary ignore-submodules=? submodule=? relative=? no-prefix src-prefix= dst-prefix= regexp-ignore-case perl-regexp fixed-strings extended-regexp pickaxe-regex pickaxe-all skip= no-index text root cc count objects parents children boundary simplify-by-decoration full-history numbered email summary no-notes notes=? no-commit-id always stdin',
  digits: true,
} as const;

/** Options of commands that list names and have none that writes or runs anything. */
const listing = {
  short: 'acdfhijklmnoqrstuvxzlde:',
  long: 'short=? verify quiet abbrev-ref=? symbolic-full-name all branches=? tags=? remotes=? show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository others modified deleted cached stage unmerged exclude-standard ignored exclude= directory full-name error-unmatch name-only name-status long full-tree object-only abbrev=? always dirty=? long match= exclude= contains=? candidates= first-parent exact-match heads head dereference hash=? format= sort= count= points-at= merged=? no-merged=? is-ancestor fork-point octopus independent refs= human-readable verbose non-matching eol recurse-submodules',
} as const;

interface Verb {
  readonly short?: string;
  readonly long?: string;
  readonly digits?: true;
  readonly judge?: (parsed: ParsedArguments) => Effects | Unclear;
}

const remoteName = /^[A-Za-z0-9][\w.-]*$/;
const remoteUrl =
  /^(?:https?:\/\/[\w.:-]+\/[\w./~-]+|git@[\w.-]+:[\w./~-]+|ssh:\/\/(?:git@)?[A-Za-z0-9][\w.:-]*\/[\w./~-]+)$/;
const refName = /^[A-Za-z0-9@_][\w./@-]*$/;
const settings = 'it changes the configuration of git';
const lost = 'it discards work that exists nowhere else';

const harmless: Verb = history;
const list: Verb = listing;

/** Git commands with their known options; all others are not understood. */
const verbs: Readonly<Record<string, Verb>> = {
  status: {
    short: 'sbuvz',
    long: 'short branch porcelain=? untracked-files=? ignored=? long verbose show-stash ahead-behind no-renames',
  },
  log: harmless,
  show: harmless,
  diff: harmless,
  'diff-tree': harmless,
  'diff-index': harmless,
  'diff-files': harmless,
  'rev-list': harmless,
  whatchanged: harmless,
  shortlog: { ...history, short: `${history.short}e` },
  blame: { short: 'wlsteMCL:', long: 'porcelain line-porcelain date= show-email ignore-rev=' },
  'rev-parse': list,
  'ls-files': list,
  'ls-tree': list,
  describe: list,
  'show-ref': list,
  'for-each-ref': list,
  'merge-base': list,
  'name-rev': list,
  'count-objects': list,
  'check-ignore': list,
  'cat-file': { short: 'ptse' },
  cherry: { short: 'v' },
  fsck: { long: 'no-dangling unreachable full connectivity-only' },
  version: {},
  'ls-remote': { short: 'htq', long: 'heads tags refs', judge: remoteAnd(refName) },
  grep: {
    short: 'inIwvclLhHqFEPae:A:B:C:m:o',
    long: 'cached untracked ignore-case line-number files-with-matches count name-only word-regexp fixed-strings extended-regexp perl-regexp and or not all-match max-depth= heading break only-matching',
  },
  reflog: { digits: true, short: 'n:', long: 'oneline date= all max-count=', judge: onlyFirst(['show'], 'HEAD') },
  branch: {
    short: 'arvlqtcm',
    long: 'all remotes list show-current contains=? merged=? no-merged=? verbose sort= format= track copy move column=? set-upstream-to= points-at=',
    judge: ({ options }) => (options.some(({ name }) => name === '--set-upstream-to') ? { danger: settings } : {}),
  },
  tag: { short: 'lam:n:s', long: 'list annotate message= sort= contains=? points-at= merged=? format=' },
  switch: { short: 'c:dq', long: 'create= detach quiet track' },
  checkout: {
    short: 'b:qt',
    long: 'quiet track',
    judge: ({ options, operands }) => {
      const isNew = options.some(({ name }) => name === '-b');
      // A name that is also a file would discard changes of that file.
      const isBranch = operands.length === 1 && /^(?:main|master|develop|dev|trunk|HEAD|-)$/.test(operands[0] ?? '');
      return isNew || isBranch ? {} : { danger: lost };
    },
  },
  add: { short: 'AuvnfN', long: 'all update verbose dry-run force intent-to-add', judge: reading },
  commit: {
    short: 'm:aqsvF:',
    long: 'message= all quiet signoff verbose amend no-edit allow-empty allow-empty-message author= date= fixup= no-gpg-sign file= dry-run short',
    judge: ({ options, operands }) => ({
      reads: [
        ...operands,
        ...options.flatMap(({ name, value }) => (/^(?:-F|--file)$/.test(name) ? [value ?? ''] : [])),
      ],
    }),
  },
  mv: { short: 'kvn', judge: ({ operands }) => ({ writes: operands }) },
  rm: { short: 'rqn', long: 'cached quiet dry-run', judge: ({ operands }) => ({ deletes: operands }) },
  stash: {
    short: 'm:ukqp',
    long: 'message= include-untracked keep-index quiet patch stat',
    judge: ({ operands: [first] }) =>
      first === undefined || /^(?:push|pop|apply|list|show|save)$/.test(first) ? {} : { danger: lost },
  },
  merge: { short: 'qm:', long: 'no-edit no-ff ff-only ff squash abort continue quiet message= no-commit', judge: refs },
  rebase: { short: 'q', long: 'abort continue skip quit onto= autostash quiet no-autostash', judge: refs },
  'cherry-pick': { short: 'nx', long: 'abort continue skip no-commit', judge: refs },
  revert: { short: 'n', long: 'no-edit abort continue no-commit', judge: refs },
  reset: {
    short: 'q',
    long: 'soft mixed quiet hard',
    judge: ({ options }) => (options.some(({ name }) => name === '--hard') ? { danger: lost } : {}),
  },
  restore: {
    short: 'Sq',
    long: 'staged quiet worktree source=',
    judge: ({ options }) =>
      options.length > 0 && options.every(({ name }) => /^(?:--staged|-S|-q|--quiet)$/.test(name))
        ? {}
        : { danger: lost },
  },
  clean: {
    short: 'ndxXqf',
    long: 'dry-run force quiet',
    judge: ({ options }) => (options.some(({ name }) => /^(?:-n|--dry-run)$/.test(name)) ? {} : { danger: lost }),
  },
  fetch: { short: 'pqtva', long: 'all prune tags quiet depth= verbose dry-run no-tags', judge: remoteAnd(refName) },
  pull: { short: 'qv', long: 'rebase=? no-rebase ff-only no-ff autostash quiet tags prune', judge: remoteAnd(refName) },
  push: {
    short: 'uqvnfd',
    long: 'set-upstream tags follow-tags dry-run quiet verbose porcelain progress no-progress all force force-with-lease=? force-if-includes delete mirror prune',
    judge: (parsed) => {
      const isForced = parsed.options.some(({ name }) => /^(?:-f|-d|--(?:force|delete|mirror|prune))/.test(name));
      if (isForced || parsed.operands.some((word) => /^[+:]/.test(word)))
        return { danger: 'it removes or replaces remote history that others may use' };
      return remoteAnd(/^[A-Za-z0-9@_][\w./@-]*(?::[A-Za-z0-9_][\w./-]*)?$/)(parsed);
    },
  },
  clone: {
    short: 'qb:',
    long: 'depth= branch= single-branch quiet no-tags',
    judge: ({ operands: [url = '', folder, ...more] }) =>
      remoteUrl.test(url) && more.length === 0
        ? { writes: [folder ?? (url.split('/').at(-1) ?? '').replace(/\.git$/, '')] }
        : unclear('its source is not a plain URL'),
  },
  config: {
    short: 'l',
    long: 'get= get-all= list local global show-origin name-only',
    judge: ({ options, operands }) => {
      const isRead = options.some(({ name }) => /^(?:-l|--list|--get|--get-all)$/.test(name)) || operands.length === 1;
      return isRead ? {} : { danger: settings };
    },
  },
  remote: {
    short: 'v',
    long: 'verbose',
    judge: ({ operands: [first] }) =>
      first === undefined || /^(?:show|get-url)$/.test(first) ? {} : { danger: settings },
  },
  worktree: { long: 'porcelain verbose', judge: onlyFirst(['list']) },
  submodule: { long: 'recursive', judge: onlyFirst(['status']) },
};

const showing: ReadonlySet<string> = new Set(
  'status log show diff diff-tree diff-index diff-files rev-list whatchanged shortlog blame rev-parse ls-files ls-tree describe show-ref for-each-ref merge-base name-rev count-objects check-ignore cat-file cherry fsck version ls-remote grep reflog'.split(
    ' ',
  ),
);

/** `git`: options before the command are removed, so that a rule for `git push` also applies to `git -C . push`. */
export const git: Judge = (args) => {
  const parsed = readArguments({
    args,
    spec: { short: 'C:P', long: 'no-pager no-optional-locks literal-pathspecs version', stopAtOperand: true },
  });
  if (typeof parsed === 'string') return unclear(parsed);
  const folders = parsed.options.flatMap(({ name, value }) => (name === '-C' ? [value ?? ''] : []));
  if (folders.length > 1) return unclear('it changes the folder more than once');
  const [name, ...rest] = parsed.operands;
  if (name === undefined)
    return parsed.options.some((option) => option.name === '--version') ? {} : unclear('it names no command');
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!verb) return unclear(`the effect of git ${name} is unknown`);
  const own = readArguments({ args: rest, spec: verb });
  if (typeof own === 'string') return unclear(own);
  const found = verb.judge?.(own) ?? {};
  if ('unclear' in found) return found;
  const [folder] = folders;
  // A change of the repository counts as a write to its folder.
  const writes = showing.has(name) ? found.writes : ['.', ...(found.writes ?? [])];
  return {
    ...found,
    ...(writes && { writes }),
    canonical: [name, ...rest],
    ...(folder !== undefined && { directory: folder }),
  };
};

function reading({ operands }: ParsedArguments): Effects {
  return { reads: operands };
}

function refs({ operands }: ParsedArguments): Effects | Unclear {
  return operands.every((name) => refName.test(name)) ? {} : unclear('it names something other than branches');
}

function remoteAnd(name: RegExp): (parsed: ParsedArguments) => Effects | Unclear {
  return ({ operands: [remote, ...rest] }) =>
    (remote === undefined || remoteName.test(remote) || remoteUrl.test(remote)) && rest.every((ref) => name.test(ref))
      ? {}
      : unclear('its remote is not a plain name');
}

function onlyFirst(
  words: readonly string[],
  ...others: readonly string[]
): (parsed: ParsedArguments) => Effects | Unclear {
  return ({ operands: [first] }) =>
    first === undefined
      ? words.includes('show')
        ? {}
        : unclear('it names no command')
      : words.includes(first) || others.includes(first)
        ? {}
        : unclear(`the effect of ${first} is unknown`);
}
