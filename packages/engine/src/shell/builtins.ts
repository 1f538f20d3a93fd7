/** Words that begin a compound command or change how the next one is read, in any shell. */
export const keywords: ReadonlySet<string> = new Set(
  'if then else elif fi for foreach while until do done case esac in select function coproc repeat end nocorrect noglob - always'.split(
    ' ',
  ),
);

/**
 * Builtins of bash, dash, ksh or zsh that evaluate their arguments or change how later commands of the line are read. No
 * rule covers them, except one that is exactly the line.
 */
export const stateBuiltins: ReadonlySet<string> = new Set(
  '. alias autoload bg bind bindkey break caller compadd compdef compgen complete compopt continue declare dirs disable disown echotc emulate enable eval export fc fg float functions getln getopts hash history integer jobs let limit local log logout mapfile noglob popd print private pushd pushln read readarray readonly rehash return sched set setopt shift shopt source suspend times trap ttyctl typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence where zcompile zformat zle zmodload zparseopts zprof zpty zregexparse zsocket zstyle ztcp'.split(
    ' ',
  ),
);

/** Builtins that are harmless in the forms that are known, and evaluate or run something in others. */
export const guardedBuiltins: ReadonlySet<string> = new Set(
  'printf test [ exit command exec builtin time type kill cd'.split(' '),
);
