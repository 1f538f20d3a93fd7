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

export const gitOptions = { history, listing } as const;
