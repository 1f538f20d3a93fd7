import { type Judge, unclear } from '../effects.ts';

const alone = new Set(
  'a o and or not ! ( ) , print print0 ls prune empty true false daystart depth follow xdev mount noleaf readable writable executable quit nouser nogroup'.split(
    ' ',
  ),
);
const valued = new Set(
  'name iname path ipath wholename iwholename regex iregex regextype type xtype maxdepth mindepth size newer anewer cnewer mtime mmin atime amin ctime cmin perm user group uid gid links inum printf newermt fstype lname ilname samefile'.split(
    ' ',
  ),
);

/** `find` with tests and printing only: neither `-exec` nor `-delete` nor output files. */
export const find: Judge = (args) => {
  const reads: string[] = [];
  let at = 0;
  while (at < args.length && /^-(?:[HLPEXdsx]+|O\d)$/.test(args[at] ?? '')) at += 1;
  while (at < args.length && !/^[-!(),]/.test(args[at] ?? '')) {
    reads.push(args[at] ?? '');
    at += 1;
  }
  while (at < args.length) {
    const arg = args[at] ?? '';
    const name = arg.replace(/^-/, '');
    if (arg === '!' || arg === '(' || arg === ')' || arg === ',' || (arg.startsWith('-') && alone.has(name))) at += 1;
    else if (arg.startsWith('-') && valued.has(name) && at + 1 < args.length) at += 2;
    else return unclear(`the effect of find ${arg} is unknown`);
  }
  return { reads: reads.length > 0 ? reads : ['.'] };
};
