import { looksRandom } from './looks-random.ts';
import { type VendorKey, vendorKeys } from './vendor-table.ts';

/** Where a secret is in a text. */
export interface KeyMatch {
  readonly start: number;
  readonly end: number;
}

/** One regular expression finds every place where any prefix occurs, so the table costs one pass over the text. */
const candidates = new RegExp(
  [...new Set(vendorKeys.flatMap(({ prefixes }) => prefixes))]
    // Of `sk-` and `sk-ant-` the short one is enough: every row is tried where one of its prefixes may start.
    .filter((prefix, _, all) => !all.some((other) => other !== prefix && prefix.startsWith(other)))
    .map((prefix) => prefix.replace(/[.$|{}()[\]*+?^\\/]/g, '\\$&'))
    .join('|'),
  'g',
);

/** Keys with a distinctive part that is not at their start. Each literal part is looked for before the pattern runs. */
const shapes: readonly { readonly literal: string; readonly pattern: RegExp }[] = [
  // Microsoft Entra client secrets
  { literal: 'Q~', pattern: /(?<![A-Za-z0-9~.])(?<key>[\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~.-])/g },
  // Terraform Cloud
  { literal: '.atlasv1.', pattern: /(?<key>\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,100})/g },
  // Telegram bots, also in the address of a call
  { literal: ':AA', pattern: /(?<!\d)(?<key>\d{8,10}:AA[\w-]{32,40})(?![\w-])/g },
  // Discord bots: the account id, a time, a signature
  { literal: '.', pattern: /(?<![A-Za-z0-9])(?<key>[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,40})(?![\w-])/g },
  { literal: '-us', pattern: /(?<![A-Za-z0-9])(?<key>[a-f0-9]{32}-us\d{1,2})(?![\w-])/g }, // Mailchimp
  { literal: 'amzn.mws.', pattern: /(?<key>amzn\.mws\.[a-f0-9-]{36})/g }, // Amazon
  {
    literal: 'hooks.slack.com/',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<key>[\w/]{20,200})/g,
  },
  { literal: '/api/webhooks/', pattern: /\/api\/webhooks\/(?<key>\d{1,30}\/[\w-]{20,200})/g }, // Discord
  { literal: 'office.com/webhook', pattern: /office\.com\/webhook(?:b2)?\/(?<key>[\w@/.-]{30,300})/g }, // Teams
  { literal: 'hooks.zapier.com/', pattern: /hooks\.zapier\.com\/hooks\/catch\/(?<key>[\w/]{8,100})/g },
  {
    literal: 'maker.ifttt.com/',
    pattern: /maker\.ifttt\.com\/trigger\/[\w-]{1,60}\/(?:json\/)?with\/key\/(?<key>[\w-]{16,80})/g,
  },
];

/**
 * Finds keys in a format that a vendor documents. The text may be code, a diff, or JSON inside a string.
 *
 * @example
 * findVendorKeys('token: ghp_…'); // [{ start: 7, end: 47 }]
 */
export function findVendorKeys(text: string): KeyMatch[] {
  const found: KeyMatch[] = [];
  let run = { end: 0, count: 0 };
  candidates.lastIndex = 0;
  for (let hit = candidates.exec(text); hit !== null; hit = candidates.exec(text)) {
    const start = hit.index;
    const end = isStart({ text, at: start }) ? endOfKey({ text, start }) : undefined;
    if (end !== undefined) found.push({ start, end });
    // Hostile text can have a prefix every few characters of one long run: of such a run the beginning is enough.
    run = end === undefined && start < run.end ? { ...run, count: run.count + 1 } : { end: start + 300, count: 0 };
    candidates.lastIndex = end ?? (run.count > mostInRun ? Math.max(start + 1, endOfWord({ text, start })) : start + 1);
  }
  for (const { literal, pattern } of shapes) {
    if (!text.includes(literal)) continue;
    for (const match of text.matchAll(pattern)) {
      const key = match.groups?.key ?? '';
      const start = match.index + match[0].indexOf(key);
      found.push({ start, end: start + key.length });
    }
  }
  return found;
}

/** How many starts are tried within 300 characters that hold no key. */
const mostInRun = 40;

function endOfWord({ text, start }: { readonly text: string; readonly start: number }): number {
  const rest = /[^\w-]/g;
  rest.lastIndex = start;
  return rest.exec(text)?.index ?? text.length;
}

/** The end of the longest key that starts here. */
function endOfKey({ text, start }: { readonly text: string; readonly start: number }): number | undefined {
  let longest: number | undefined;
  for (const { prefixes, body, isRandom } of rowsFor(text.slice(start, start + 2))) {
    for (const prefix of prefixes) {
      if (!text.startsWith(prefix, start)) continue;
      body.lastIndex = start + prefix.length;
      const rest = body.exec(text)?.[0];
      if (rest === undefined || isPlain(rest) || (isRandom && !looksRandom(rest))) continue;
      longest = Math.max(longest ?? 0, start + prefix.length + rest.length);
    }
  }
  return longest;
}

const rows = new Map<string, VendorKey[]>();

/** The rows with a prefix that begins with these two characters. */
function rowsFor(two: string): readonly VendorKey[] {
  const known = rows.get(two);
  if (known) return known;
  const made = vendorKeys.filter(({ prefixes }) => prefixes.some((prefix) => prefix.startsWith(two)));
  rows.set(two, made);
  return made;
}

/** `ghp_xxxxxxxxxxxxxxxxxxxx` and `sk-ant-your-api-key-here` show the format and are no keys. */
function isPlain(rest: string): boolean {
  return (
    /^(.)\1*$|^[xX*.\-_]+$|^(?:your|my|xxx|example|placeholder|replace|test|dummy|fake)[-_]/i.test(rest) &&
    !looksRandom(rest)
  );
}

/**
 * Whether a key may start here: not inside a word. The letter before it may be the end of an escape sequence: `\n` in
 * JSON, `%20` in an address, `ESC [ 32 m` of a terminal.
 */
function isStart({ text, at }: { readonly text: string; readonly at: number }): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text.charAt(at - 1))) return true;
  return /\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\[[\d;]{0,10}m$|\\u[0-9a-fA-F]{4}$/.test(text.slice(Math.max(0, at - 14), at));
}
