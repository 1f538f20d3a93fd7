import type { ParsedArguments } from '../arguments.ts';
import { type Judge, unclear } from '../effects.ts';
import { simple } from './simple.ts';

const unnamed = 'it does not name what it changes';

/** Programs that change the files they name. */
export const writers: Readonly<Record<string, Judge>> = {
  mkdir: simple({ short: 'pvm:', long: 'parents verbose mode=', operands: 'write' }),
  touch: simple({ short: 'acmhd:t:', operands: 'write' }),
  mktemp: simple({ short: 'd', operands: 'none' }),
  rmdir: simple({ short: 'pv', operands: named() }),
  rm: simple({
    short: 'rRfidvI',
    long: 'recursive force verbose dir interactive=? one-file-system preserve-root',
    operands: named(),
  }),
  unlink: simple({ operands: named() }),
  tee: simple({ short: 'ai', long: 'append', operands: 'write' }),
  truncate: simple({ short: 'cs:', long: 'size=', operands: 'write' }),
  mv: simple({
    short: 'fivnuTt:',
    long: 'force interactive no-clobber verbose target-directory=',
    writing: ['-t', '--target-directory'],
    operands: ({ operands, options }) =>
      operands.length > 0
        ? { writes: [...operands, ...implied({ operands, options })], trees: sourcesIn({ operands, options }) }
        : unclear(unnamed),
  }),
  cp: simple({
    short: 'aRrpfivnLHPduxTt:',
    long: 'recursive archive force verbose no-clobber parents preserve=? target-directory= update',
    writing: ['-t', '--target-directory'],
    operands: ({ operands, options }) => {
      const hasTarget = targetFolder(options) !== undefined;
      if (operands.length < (hasTarget ? 1 : 2)) return unclear(unnamed);
      const writes = implied({ operands, options });
      const isRecursive = options.some(({ name }) => /^(?:-[aRr]|--recursive|--archive)$/.test(name));
      const trees = isRecursive ? { trees: writes } : {};
      return hasTarget
        ? { reads: operands, writes, ...trees }
        : { reads: operands.slice(0, -1), writes: [...writes, ...operands.slice(-1)], ...trees };
    },
  }),
  ln: simple({
    short: 'sfnvrT',
    long: 'symbolic force no-dereference verbose relative',
    operands: ({ operands }) =>
      // The target of a link is relative to the link, not to the current folder.
      operands.length < 2 || operands.some((path) => path.split('/').includes('..'))
        ? unclear('the target of its link is unknown')
        : { writes: operands },
  }),
  chmod: simple({
    short: 'Rvfc',
    long: 'recursive verbose',
    operands: ({ operands: [mode = '', ...files] }) =>
      /^(?:[0-7]{3,4}|[ugoa]*[+=][rwxX]+(?:,[ugoa]*[+=][rwxX]+)*)$/.test(mode) && files.length > 0
        ? { deletes: files }
        : unclear('its mode is unknown'),
  }),
  dd: (args) => {
    const known = /^(?:if|of|bs|ibs|obs|count|skip|seek|conv|status)=/;
    if (args.length === 0 || !args.every((arg) => known.test(arg))) return unclear('its arguments are unknown');
    const of = (name: string) =>
      args.filter((arg) => arg.startsWith(`${name}=`)).map((arg) => arg.slice(name.length + 1));
    return { reads: of('if'), writes: of('of') };
  },
  curl: simple({
    short: 'sSLfIkgivOo:m:A:H:w:',
    long: 'silent show-error location fail head include verbose output= max-time= retry= connect-timeout= remote-name compressed user-agent= header= write-out=',
    writing: ['-o', '--output'],
    operands: ({ operands, options }) => {
      // Some values name a file: `-H @file`, `-w @file`; a header can carry a key.
      const isPlain = options.every(
        ({ value }) => !value?.startsWith('@') && !/%output|%\{stderr\}|^authorization/i.test(value ?? ''),
      );
      const isWeb =
        operands.length > 0 && operands.every((url) => /^https?:\/\/[^@?#[\]{}]*(?:\?[^#[\]{}]*)?$/.test(url));
      const written = options.some(({ name }) => name === '-O' || name === '--remote-name')
        ? operands.map(lastPart)
        : [];
      return isPlain && isWeb ? { writes: written } : unclear('only plain downloads are known');
    },
  }),
};

function named() {
  return ({ operands }: { readonly operands: readonly string[] }) =>
    operands.length > 0 ? { deletes: operands } : unclear(unnamed);
}

/** The target paths if the target is a folder. */
function implied({ operands, options }: ParsedArguments): string[] {
  const folder = targetFolder(options) ?? operands.at(-1) ?? '';
  const sources = sourcesIn({ operands, options });
  return sources.map((path) => `${folder}/${path.split('/').findLast((part) => part !== '') ?? ''}`);
}

function sourcesIn({ operands, options }: ParsedArguments): readonly string[] {
  return targetFolder(options) === undefined ? operands.slice(0, -1) : operands;
}

function targetFolder(options: ParsedArguments['options']): string | undefined {
  return options.find(({ name }) => name === '-t' || name === '--target-directory')?.value;
}

function lastPart(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.split('/').at(-1) ?? '';
}
