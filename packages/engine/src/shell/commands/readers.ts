import { type Judge, unclear } from '../effects.ts';
import { simple } from './simple.ts';

const grep = simple({
  short: 'EFGPivwxcLlqsnHhobrRaIUzTye:m:A:B:C:D:d:f:',
  long: 'include= exclude= exclude-dir= color=? colour=? ignore-case no-ignore-case invert-match word-regexp line-regexp line-number recursive dereference-recursive count files-with-matches files-without-match only-matching quiet silent no-messages with-filename no-filename extended-regexp fixed-strings basic-regexp perl-regexp max-count= after-context= before-context= context= regexp= text binary-files= null null-data initial-tab byte-offset',
  digits: true,
  operands: 'pattern',
});

const checksum = simple({ short: 'a:bctqwrs:', long: 'check quiet status tag', operands: 'read' });

/** Programs that show files or transform text, without side effects. */
export const readers: Readonly<Record<string, Judge>> = {
  cat: simple({ short: 'AbeEnstTuv', long: 'number show-all show-ends show-tabs', operands: 'read' }),
  tac: simple({ short: 'bs:r', operands: 'read' }),
  head: simple({ short: 'n:c:qvz', long: 'lines= bytes= quiet verbose', digits: true, operands: 'read' }),
  tail: simple({ short: 'n:c:qvzfF', long: 'lines= bytes= quiet verbose follow=?', digits: true, operands: 'read' }),
  nl: simple({ short: 'b:d:f:h:i:l:n:ps:v:w:', operands: 'read' }),
  wc: simple({ short: 'clmwL', long: 'lines words bytes chars', operands: 'read' }),
  ls: simple({
    short: 'aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1@eO',
    long: 'all almost-all human-readable recursive size reverse color=? sort= time= group-directories-first full-time classify=? directory inode time-style=',
    operands: 'read',
  }),
  tree: simple({
    short: 'adfipughDFrtsSnCNL:I:P:',
    long: 'dirsfirst noreport gitignore charset= prune',
    operands: 'read',
  }),
  stat: simple({ short: 'Ltxc:f:', long: 'format= printf= dereference', operands: 'read' }),
  file: simple({ short: 'bihLkNrsvE0', long: 'brief mime mime-type mime-encoding', operands: 'read' }),
  du: simple({
    short: 'ahcskmLxd:',
    long: 'max-depth= summarize human-readable total apparent-size',
    operands: 'read',
  }),
  df: simple({ short: 'ahikTlm', operands: 'read' }),
  readlink: simple({ short: 'fenmsvz', operands: 'read' }),
  realpath: simple({ short: 'emsqz', long: 'relative-to=', operands: 'read' }),
  basename: simple({ short: 'as:z', operands: 'text' }),
  dirname: simple({ short: 'z', operands: 'text' }),
  md5: checksum,
  md5sum: checksum,
  shasum: checksum,
  sha1sum: checksum,
  sha256sum: checksum,
  sha512sum: checksum,
  cksum: checksum,
  hexdump: simple({ short: 'bcCdoxvn:s:', operands: 'read' }),
  od: simple({ short: 'bcdoxvA:j:N:t:w:', operands: 'read' }),
  xxd: simple({
    short: 'abEeiuCc:g:l:o:s:p',
    // A second operand is written to.
    operands: ({ operands }) => ({ reads: operands.slice(0, 1), writes: operands.slice(1) }),
  }),
  strings: simple({ short: 'an:t:', operands: 'read' }),
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  zcat: simple({ operands: 'read' }),
  rg: simple({
    short: 'iIlLnNcvwxFsSoqUuaHhp0.Pe:g:t:T:A:B:C:m:M:j:d:f:E:r:',
    long: 'files type= type-not= glob= iglob= hidden no-hidden no-ignore no-ignore-vcs no-ignore-parent line-number no-line-number count count-matches files-with-matches files-without-match ignore-case smart-case case-sensitive fixed-strings word-regexp line-regexp multiline multiline-dotall max-count= max-depth= maxdepth= max-filesize= context= after-context= before-context= only-matching no-heading heading no-filename with-filename sort= sortr= stats json color= colors= follow text pcre2 replace= regexp= invert-match max-columns= max-columns-preview trim vimgrep passthru unrestricted type-list column no-column no-messages quiet null one-file-system no-config pretty version threads= context-separator=',
    operands: 'pattern',
  }),
  fd: simple({
    short: 'HIsiuagF0Lpt:e:d:E:',
    long: 'hidden no-ignore type= extension= max-depth= exclude= glob absolute-path full-path follow color=',
    operands: ({ operands }) => ({ reads: operands.slice(1) }),
  }),
  sort: simple({
    short: 'bdfghiMnRrVcCmszuk:t:S:o:',
    long: 'numeric-sort reverse unique key= field-separator= human-numeric-sort version-sort ignore-case output= stable zero-terminated',
    writing: ['-o', '--output'],
    operands: 'read',
  }),
  uniq: simple({
    short: 'cdDiuzf:s:w:',
    long: 'count repeated unique ignore-case',
    // A second operand is written to.
    operands: ({ operands }) => ({ reads: operands.slice(0, 1), writes: operands.slice(1) }),
  }),
  cut: simple({
    short: 'b:c:d:f:nsz',
    long: 'delimiter= fields= characters= bytes= complement output-delimiter= only-delimited',
    operands: 'read',
  }),
  paste: simple({ short: 'd:sz', operands: 'read' }),
  tr: simple({ short: 'cCdst', operands: 'text' }),
  column: simple({ short: 'txs:c:o:N:', operands: 'read' }),
  fold: simple({ short: 'bsw:', operands: 'read' }),
  expand: simple({ short: 'it:', operands: 'read' }),
  rev: simple({ operands: 'read' }),
  comm: simple({ short: '123i', operands: 'read' }),
  join: simple({ short: 'ia:1:2:j:o:t:v:', operands: 'read' }),
  diff: simple({
    short: 'abBcdeEhilnNpqrsStTuvwyZC:U:W:x:I:',
    long: 'brief unified=? recursive ignore-all-space ignore-space-change ignore-blank-lines ignore-case color=? side-by-side new-file strip-trailing-cr exclude= suppress-common-lines width= minimal label= text',
    digits: true,
    operands: 'read',
  }),
  cmp: simple({ short: 'blsi:n:', operands: 'read' }),
  jq: simple({
    short: 'rcnesSjaMC',
    long: 'raw-output compact-output null-input exit-status slurp sort-keys tab raw-input join-output monochrome-output color-output indent=',
    operands: ({ operands }) => ({ reads: operands.slice(1) }),
  }),
  base64: simple({ short: 'dDiw:b:', long: 'decode wrap=', operands: 'read' }),
  tar: (args) => {
    // Only listings: the files that an extraction writes are not known in advance.
    const [mode = '', file, ...rest] = args;
    const isListing = /^-?[tvzjJ]*t[vzjJ]*f$/.test(mode) && rest.every((word) => !word.startsWith('-'));
    return isListing && file !== undefined ? { reads: [file] } : unclear('only the listing of an archive is known');
  },
};
