import { resolve } from 'node:path';
import { isWithin } from '../workspace/workspace.ts';
import type { CommandLine, CommandPart, Word } from './command.ts';
import { isGuardedFile, isSecretFile } from './secret-files.ts';

interface Here {
  readonly args: readonly Word[];
  /** The arguments as text, with spaces around each. */
  readonly text: string;
  /** Whether each of these words is for sure in the workspace. */
  readonly isInside: (words: readonly Word[]) => boolean;
  /** Whether there are words, each for sure a part of the workspace, and not all of it. */
  readonly isPart: (words: readonly Word[]) => boolean;
}

interface Danger {
  readonly program: RegExp;
  readonly isIt?: (here: Here) => boolean;
  readonly why: string;
}

/** What needs consent even where commands are allowed, unless a rule names it. */
const dangers: readonly Danger[] = [
  { program: /^(?:sudo|doas|su|pkexec|runas)$/, why: 'acts with the rights of another user' },
  {
    program: /^(?:mkfs(?:\..+)?|fdisk|sfdisk|parted|wipefs|shred|mkswap|hdparm|cryptsetup|diskutil)$/,
    why: 'works on disks',
  },
  {
    program: /^dd$/,
    isIt: ({ text }) => / of=(?!\/dev\/null )\/dev\/| of=[/~$]/.test(text),
    why: 'writes to a device or outside',
  },
  { program: /^(?:shutdown|reboot|halt|poweroff|init|telinit)$/, why: 'stops the machine' },
  { program: /^(?:pkill|killall|taskkill)$/, why: 'ends processes by their name' },
  { program: /^kill$/, isIt: ({ text }) => / -1 $| -?1 |\$/.test(text), why: 'ends processes that it does not name' },
  {
    program: /^(?:crontab|at|batch|systemctl|launchctl|service|update-rc\.d)$/,
    why: 'changes what the machine runs later',
  },
  {
    program: /^(?:iptables|nft|ufw|useradd|userdel|usermod|passwd|visudo|chattr|mount|umount|insmod|modprobe)$/,
    why: 'changes the machine',
  },
  {
    program: /^(?:rm|rmdir|unlink|srm|trash|trash-put)$/,
    isIt: ({ args, isPart }) => !isPart(operandsOf(args)),
    why: 'deletes something outside the workspace, all of the workspace, or what it does not name',
  },
  {
    program: /^(?:touch|mkdir|mkfifo|tee|truncate|ln|link|mv)$/,
    isIt: ({ args, isInside }) => !isInside(operandsOf(args)),
    why: 'changes something outside the workspace',
  },
  {
    program: /^(?:chmod|chown|chgrp|setfacl)$/,
    isIt: ({ args, isPart }) => !isPart(operandsOf(args).slice(1)),
    why: 'changes who may do what outside the workspace, or in all of it',
  },
  {
    program: /^(?:cp|rsync|scp|install)$/,
    isIt: ({ args, isInside }) => !isInside(operandsOf(args).slice(-1)),
    why: 'puts something outside the workspace',
  },
  {
    program: /^(?:sed|perl)$/,
    isIt: ({ args, isInside }) => args.some(isInPlace) && !isInside(behindScript(args)),
    why: 'changes something outside the workspace',
  },
  {
    program: /^find$/,
    isIt: ({ args, text, isPart }) => / -(?:delete|fprint\w*|fls) /.test(text) && !isPart(operandsOf(args).slice(0, 1)),
    why: 'deletes what it does not name',
  },
  {
    program: /^git$/,
    isIt: ({ text }) =>
      / push\b.*(?: --force\S* | -[^\Wf]*f\w* | --delete | -d | --mirror | --prune | \+\S| :\S)/.test(text),
    why: 'takes back what others have',
  },
  {
    program: /^git$/,
    isIt: ({ text }) =>
      / (?:reset .*--hard|clean .*-\w*f|clean .*--force|checkout .*(?:--|-f|--force|\.) |restore |branch .*(?:-\w*D|--delete .*--force)|stash (?:drop|clear)|update-ref .*-d|reflog (?:expire|delete)|filter-branch|filter-repo|gc .*--prune)/.test(
        text,
      ),
    why: 'throws work away that is not kept elsewhere',
  },
  {
    program: /^git$/,
    isIt: ({ text }) =>
      / config .*(?:--global|--system|core\.\w*(?:hook|pager|editor|ssh|fsmonitor)\w*|alias\.|credential|\.insteadof)/i.test(
        text,
      ),
    why: 'changes what git runs',
  },
  {
    program: /^(?:npm|pnpm|yarn|bun)$/,
    isIt: ({ text }) => / (?:publish|unpublish|deprecate|-g|--global|global) /.test(text),
    why: 'publishes, or changes the machine',
  },
  {
    program: /^(?:cargo|gem|twine|poetry|uv|dotnet|mvn)$/,
    isIt: ({ text }) => / (?:publish|push|upload|yank|deploy) /.test(text),
    why: 'publishes',
  },
  {
    program: /^(?:docker|podman)$/,
    isIt: ({ text }) => / (?:push|prune|rm|rmi|kill) | (?:-v|--volume|--mount|--privileged)(?: |=)/.test(text),
    why: 'publishes, throws away, or reaches into the machine',
  },
  {
    program: /^(?:kubectl|helm|terraform|tofu|pulumi|aws|gcloud|az|heroku|fly|vercel|gh|glab)$/,
    isIt: ({ text }) =>
      / (?:delete|destroy|apply|uninstall|rm|remove|terminate\S*|drop|rb|up|deploy|release|merge|edit|secret) /.test(
        text,
      ),
    why: 'changes machines or projects elsewhere',
  },
  {
    program: /^(?:psql|mysql|mariadb|sqlite3|mongosh?|redis-cli)$/,
    isIt: ({ text }) => /\b(?:drop|truncate|delete\s+from|flushall|flushdb|dropdatabase)\b/i.test(text),
    why: 'deletes data',
  },
];

const fetchers = /^(?:curl|wget|fetch|aria2c|http|https|nc|ncat|netcat|socat|ftp)$/;
const interpreters =
  /^(?:(?:ba|z|da|k|fi|a|tc|c)?sh|python\d?(?:\.\d+)?|node|deno|bun|perl|ruby|php|osascript|pwsh|powershell|source|\.|eval)$/;

const bomb = /:\s*\(\s*\)\s*\{|\b(\w+)\s*\(\s*\)\s*\{[^}]*\b\1\s*\|\s*\1\b/;

/**
 * Why a command needs consent wherever it comes from; nothing where it does not. A list of what people regret, not a wall:
 * a program can do all of this by other names.
 */
export function dangerOf({
  line,
  command,
  root,
  home,
}: {
  readonly line: string;
  readonly command: CommandLine;
  readonly root: string;
  readonly home: string;
}): { readonly why: string; readonly part?: CommandPart } | undefined {
  if (bomb.test(line)) return { why: 'it starts itself again and again' };
  if (command.unclear !== undefined) return { why: `nobody can tell what it does: ${command.unclear}` };
  const all = command.parts.flatMap(({ programs }) => programs);
  if (all.some(({ name }) => fetchers.test(name)) && all.some(({ name, args }) => isFed({ name, args })))
    return { why: 'it runs what comes from the network' };
  for (const part of command.parts) {
    const why = partDanger({ part, root, home });
    if (why !== undefined) return { why: `it ${why}`, part };
  }
  return undefined;
}

/** An interpreter that has no program of its own, or is given one that another program makes. */
function isFed({ name, args }: CommandPart['programs'][number]): boolean {
  const [first] = args.filter(({ text }) => !text.startsWith('-'));
  return interpreters.test(name) && (!first?.isPlain || first.text === '/dev/stdin');
}

function partDanger({
  part,
  root,
  home,
}: {
  readonly part: CommandPart;
  readonly root: string;
  readonly home: string;
}) {
  const { base, redirects, words, programs } = part;
  const placeOf = (word: Word) => pathOf({ word, base, home });
  const isOut = (word: Word) => {
    const path = placeOf(word);
    return path === undefined || !isWithin({ path, folder: root });
  };
  for (const { target } of redirects) {
    if (/^\/dev\/(?:null|stdout|stderr|tty)$/.test(target.text)) continue;
    if (isOut(target)) return `writes to ${target.text}, which is not for sure in the workspace`;
    const place = placeOf(target) ?? '';
    if (isGuardedFile(place) || isSecretFile(place)) return `changes ${target.text}`;
  }
  // A word without a sign of paths is a word.
  const secret = words.find((word) => /^[^-].*[./]|^\./.test(word.text) && isSecretFile(placeOf(word) ?? word.text));
  if (secret) return `names ${secret.text}, a file with secrets`;
  for (const { name, args } of programs) {
    const text = ` ${args.map((word) => word.text).join(' ')} `;
    const isInside = (all: readonly Word[]) => all.every((word) => !isOut(word));
    const isPart = (all: readonly Word[]) =>
      all.length > 0 && isInside(all) && !all.some((word) => isWhole({ word, path: placeOf(word), root }));
    const here = { args, text, isInside, isPart };
    const danger = dangers.find(({ program, isIt = () => true }) => program.test(name) && isIt(here));
    if (danger) return danger.why;
  }
  return undefined;
}

/** The workspace itself, or what is all of it. */
function isWhole({
  word,
  path,
  root,
}: {
  readonly word: Word;
  readonly path: string | undefined;
  readonly root: string;
}) {
  return path === root || isGuardedFile(path ?? '') || /^(?:\.\/)?(?:\*|\.\*|\{.*)$/.test(word.text);
}

/** Where a word leads, as far as it can be told: patterns stay in the folder that stands before them. */
function pathOf(of: {
  readonly word: Word;
  readonly base: string | undefined;
  readonly home: string;
}): string | undefined {
  const { word, base, home } = of;
  const text = word.text.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, () => home);
  if (/[$`]/.test(text) || text.startsWith('~') || /[{}]/.test(text)) return undefined;
  if (!word.isPlain && /[*?[]/.test(text)) {
    const fixed = text.slice(0, text.search(/[*?[]/)).replace(/(?<![^/])[^/]*$/, '');
    // `a/*/../..` leads out of where it begins.
    if (text.includes('..')) return undefined;
    return base === undefined && !fixed.startsWith('/') ? undefined : resolve(base ?? '/', fixed, 'x');
  }
  return base === undefined && !text.startsWith('/') ? undefined : resolve(base ?? '/', text);
}

function operandsOf(args: readonly Word[]): Word[] {
  const split = args.findIndex(({ text }) => text === '--');
  const before = (split < 0 ? args : args.slice(0, split)).filter(({ text }) => !text.startsWith('-'));
  return [...before, ...(split < 0 ? [] : args.slice(split + 1))];
}

function isInPlace({ text }: Word): boolean {
  return /^(?:-[a-zA-Z]*i|--in-place)/.test(text);
}

/** The files of `sed` and `perl`: what is no script. */
function behindScript(args: readonly Word[]): Word[] {
  const isScript = ({ text }: Word | { text: string }) => /^-[a-zA-Z]*[eE]$|^--expression$/.test(text);
  const files = operandsOf(args.filter((_, at) => !isScript(args[at - 1] ?? { text: '' })));
  return args.some((word) => isScript(word)) ? files : files.slice(1);
}
