import type { KeyMatch } from '../../key-shapes/find-vendor-keys.ts';
import { nameStrength } from './secret-names.ts';
import { type Care, isSecretValue } from './secret-values.ts';

/** A position where a secret is expected whatever its name: a header, a URL, a command option. */
interface SecretPlace {
  /** A prefilter: text without which the pattern cannot match. */
  readonly literal: RegExp;
  /** The secret is the group `key`. Every repetition is bounded and none is nested. */
  readonly pattern: RegExp;
  readonly care: Care;
}

const quote = String.raw`["'\x60]`;

export const places: readonly SecretPlace[] = [
  // Headers
  {
    literal: /authorization/i,
    pattern:
      /\bauthorization["'`]?\s{0,4}[:=,]\s{0,4}["'`]?(?:(?:bearer|basic|token|apikey|api-key|negotiate|bot|key|ssws|genieKey|aws)\s{1,4})?(?<key>[\w.~+/=:%-]{8,4000})/dgi,
    care: 'mixed',
  },
  {
    literal: /authorization/i,
    pattern:
      /\bauthorization["'`]?\s{0,4}[:=,]?\s{0,4}["'`]?(?:bearer|basic|token|apikey)\s{1,4}(?<key>[\w.~+/=:%-]{8,4000})/dgi,
    care: 'any',
  },
  { literal: /digest/i, pattern: /\bresponse="(?<key>[a-f0-9]{32,64})"/dg, care: 'any' },
  { literal: /bearer/i, pattern: /\bbearer\s{1,4}(?<key>[\w.~+/=-]{16,4000})/dgi, care: 'random' },
  {
    literal: /(?:key|token|secret|signature|auth)["'`]?\s{0,4}:/i,
    pattern:
      /\b(?:x-[a-z-]{0,40}|private-|api-|job-|deploy-|access-|ocp-apim-subscription-|dd-api-|dd-application-|circle-|apca-api-(?:secret-)?)(?:key|token|secret|signature|auth|apikey|key-id)["'`]?\s{0,4}[:=]\s{0,4}["'`]?(?<key>[\w.~+/=-]{8,4000})/dgi,
    care: 'mixed',
  },
  // AWS signatures: the key id is found by format, the signature by name
  { literal: /signature=/i, pattern: /\b(?:X-Amz-)?Signature=(?<key>[\w%+/=-]{20,400})/dgi, care: 'mixed' },
  { literal: /X-Amz-Security-Token/i, pattern: /X-Amz-Security-Token=(?<key>[\w%+/=-]{20,4000})/dgi, care: 'any' },
  // Addresses
  {
    literal: /:\/\//,
    pattern: /:\/\/[^\s/?#"'`<>:@]{0,200}:(?<key>[^\s/?#"'`<>[\]{}]{2,300})(?=@)/dg,
    care: 'present',
  },
  { literal: /:\/\//, pattern: /:\/\/(?<key>[^\s/?#"'`<>:@]{16,300})(?=@)/dg, care: 'random' },
  { literal: /:\/\//, pattern: /:\/\/(?<key>[a-f0-9]{32})(?::[a-f0-9]{32})?(?=@[\w.-]{0,60}sentry)/dg, care: 'any' },
  {
    literal: /[?&#]/,
    pattern:
      /[?&#](?:key|api_?key|apikey|token|access_token|id_token|refresh_token|sig|signature|auth|hmac|jwt|secret|code|session|sid|sv_key|appid|subscription-key|hapikey|pwd|pass|sas|st|t)=(?<key>[\w.~%+/=-]{12,4000})/dgi,
    care: 'random',
  },
  // Connection strings of databases, queues and storage
  {
    literal: /(?:password|pwd|accountkey|sharedaccesskey|sharedsecretvalue|primarykey|accesskey)\s?=/i,
    pattern:
      /(?:^|[;"'`\s,:=(&?])(?:password|pwd|accountkey|sharedaccesskey|sharedsecretvalue|primarykey|accesskey)\s?=\s?(?<key>[^;"'`\s&<>]{3,400})(?=[;"'`\s&<>]|$)/dgi,
    care: 'mixed',
  },
  {
    literal: /(?:password|pwd|accountkey|sharedaccesskey)=/i,
    pattern:
      /=[^;="'`\n]{0,200};\s{0,4}(?:password|pwd|accountkey|sharedaccesskey)\s?=\s?(?<key>[^;"'`\s<>]{3,400})/dgi,
    care: 'present',
  },
  {
    literal: /mnemonic|phrase/i,
    pattern:
      /\b(?:mnemonic|(?:seed|recovery)(?: phrase)?)["'`]?\s{0,4}[:=]\s{0,4}["'`]?(?<key>(?:[a-z]{3,8} ){11,23}[a-z]{3,8})/dgi,
    care: 'present',
  },
  // Package managers and registries
  {
    literal: /_(?:auth|password)/i,
    pattern: /(?::_|\b_)(?:authToken|auth|password)\s{0,4}[:=]\s{0,4}["']?(?<key>[\w.+/=~-]{6,1000})/dgi,
    care: 'any',
  },
  {
    literal: /auth|token/,
    pattern: /"(?:auth|identitytoken|registrytoken)"\s{0,4}:\s{0,4}"(?<key>[\w.+/=~-]{8,4000})(?=")/dg,
    care: 'any',
  },
  // Files of passwords: netrc, pgpass, htpasswd, shadow, chpasswd
  {
    literal: /password/,
    pattern: /\b(?:login|machine|default|user)\s{1,8}[^\s]{0,200}\s{1,8}password\s{1,8}(?<key>[^\s"'`]{3,200})/dg,
    care: 'any',
  },
  {
    literal: /:(?:\d{4,5}|\*):/,
    pattern: /(?<![\w.*-])[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?<key>[^\s:]{6,200})$/dgm,
    care: 'mixed',
  },
  {
    literal: /chpasswd/,
    pattern: /\becho\s{1,4}["']?[\w-]{1,40}:(?<key>[^\s"'|]{3,200})["']?\s{0,4}\|\s{0,4}(?:sudo\s)?chpasswd/dg,
    care: 'any',
  },
  // Cookie jars of curl and wget
  {
    literal: /(?:TRUE|FALSE)\t/,
    pattern: /\t(?:TRUE|FALSE)\t[^\t\n]{1,200}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t(?<key>[^\s]{8,4000})/dg,
    care: 'any',
  },
  // WireGuard, XML, key/value pairs of container definitions
  {
    literal: /PrivateKey|PresharedKey/,
    pattern: /\b(?:PrivateKey|PresharedKey)\s{0,4}=\s{0,4}(?<key>[A-Za-z0-9+/]{43}=)/dg,
    care: 'any',
  },
  {
    literal: /<\/?/,
    pattern:
      /<(?:[\w:.-]{0,40}(?:password|passphrase|secret|token|apikey|api-key|privateKey|accessKey|clearTextPassword))>(?<key>[^<>\s]{4,1000})(?=<\/)/dgi,
    care: 'mixed',
  },
  {
    literal: /<(?:D|P|Q|DP|DQ|InverseQ)>/,
    pattern: /<(?:D|P|Q|DP|DQ|InverseQ)>(?<key>[A-Za-z0-9+/=\s]{40,2000})(?=<\/)/dg,
    care: 'any',
  },
  { literal: /"kty"/, pattern: /"(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"(?<key>[\w-]{20,2000})"/dg, care: 'any' },
  { literal: /value/i, pattern: pairPattern(), care: 'mixed' },
  // Options of commands
  {
    literal: /\bcurl\b|\bwget\b|\bhttp\b/,
    pattern: /\s(?:-u|--user|--proxy-user|-U|-a|--auth)[= ]{0,2}["']?[^\s:"'$]{1,100}:(?<key>[^\s"'$]{3,200})/dg,
    care: 'any',
  },
  {
    literal: /\b(?:mysql|mariadb|mysqldump|mysqladmin)\b/,
    pattern:
      /\b(?:mysql|mariadb|mysqldump|mysqladmin)\b[^\n|;&]{0,200}?\s-p["']?(?<key>[^\s"'$;|&-][^\s"'$;|&]{2,200})/dg,
    care: 'any',
  },
  { literal: /\bsshpass\b/, pattern: /\bsshpass\s{1,4}-p\s{0,4}["']?(?<key>[^\s"'$]{3,200})/dg, care: 'any' },
  {
    literal: /\b(?:docker|podman|helm|az|oc|kubectl)\b/,
    pattern:
      /\b(?:docker|podman|helm registry|az|oc)\s{1,4}login\b[^\n|;&]{0,200}?\s(?:-p|--password)[= ]{1,4}["']?(?<key>[^\s"'$]{3,400})/dg,
    care: 'any',
  },
  {
    literal:
      /\b(?:redis-cli|mongo|mongosh|mongodump|sqlcmd|ldapsearch|ldapmodify|rabbitmqadmin|unzip|zip|7z|smbclient)\b/,
    pattern:
      /\b(?:redis-cli|mongo|mongosh|mongodump|sqlcmd|ldapsearch|ldapmodify|rabbitmqadmin|unzip|zip|7z)\b[^\n|;&]{0,200}?\s-[apPw]\s{0,2}["']?(?<key>[^\s"'$;|&-][^\s"'$;|&]{3,200})/dg,
    care: 'mixed',
  },
  { literal: /\bpass:/, pattern: /\s-(?:pass|passin|passout)\s{1,4}["']?pass:(?<key>[^\s"'$]{3,200})/dg, care: 'any' },
  {
    literal: /-(?:storepass|keypass)/,
    pattern: /\s-(?:storepass|keypass|srcstorepass|deststorepass)\s{1,4}["']?(?<key>[^\s"'$]{3,200})/dg,
    care: 'any',
  },
  {
    literal: /sudo -S/,
    pattern: /\becho\s{1,4}["']?(?<key>[^\s"'$|]{3,200})["']?\s{0,4}\|\s{0,4}sudo -S/dg,
    care: 'any',
  },
  { literal: /from-literal/, pattern: /--from-literal=["']?[\w.-]{1,100}=(?<key>[^\s"'$]{3,1000})/dg, care: 'mixed' },
  // SQL
  {
    literal: /identified|password/i,
    pattern:
      /\b(?:identified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?by|(?:with\s{1,4})?(?:encrypted\s{1,4})?password|by\s{1,4}password)\s{1,4}(?:=\s{0,4})?["'](?<key>[^'"\n]{3,200})["']/dgi,
    care: 'any',
  },
];

/** `{"name": "DB_PASSWORD", "value": "…"}`, and the same in YAML. */
function pairPattern(): RegExp {
  const name = String.raw`[\w.-]{0,60}(?:password|passwd|secret|token|api_?key|access_?key|private_?key|_key)`;
  return new RegExp(
    String.raw`\b(?:name|key)(?:${quote})?\s{0,4}[:=]\s{0,4}(?:${quote})?${name}(?:${quote})?[^{}=]{1,120}?\bvalue(?:${quote})?\s{0,4}[:=]\s{0,4}(?:${quote})?(?<key>[^\s"'\x60\\,;<>$]{4,1000})`,
    'dgi',
  );
}

/** The values of a `Cookie` or `Set-Cookie` header, or of a command option that sets them. */
const cookies =
  /(?:\b(?:set-)?cookie["'`]?\s{0,4}[:=,]\s{0,4}|\s(?:-b|--cookie)\s{1,4})["'`]?(?<list>[^"'`\n\r\\]{4,8000})/dgi;
const cookie = /(?<name>[\w.%-]{1,80})=(?<key>[^;,\s"'`]{8,4096})/dg;
const attributes = /^(?:path|domain|expires|max-age|samesite|priority|version|comment)$/i;

/**
 * Finds secrets by position: headers, cookies, URLs, connection strings, password files, command options.
 *
 * @example
 * findByPlace('curl -u admin:hunter2 https://x.org'); // [{ start: 14, end: 21 }]
 */
export function findByPlace(text: string): KeyMatch[] {
  const found: KeyMatch[] = [];
  for (const { literal, pattern, care } of places) {
    if (!literal.test(text)) continue;
    for (const match of text.matchAll(pattern)) {
      const [start, end] = match.indices?.groups?.key ?? [0, 0];
      if (isSecretValue({ value: text.slice(start, end), care })) found.push({ start, end });
    }
  }
  return /cookie|\s-b\s/i.test(text) ? [...found, ...cookieValues(text)] : found;
}

function cookieValues(text: string): KeyMatch[] {
  return [...text.matchAll(cookies)].flatMap((header) => {
    const [from] = header.indices?.groups?.list ?? [0];
    const list = header.groups?.list ?? '';
    return [...list.matchAll(cookie)].flatMap((match): KeyMatch[] => {
      const { name = '', key = '' } = match.groups ?? {};
      const [start, end] = match.indices?.groups?.key ?? [0, 0];
      const care = nameStrength(name) === undefined && !/sess/i.test(name) ? 'mixed' : 'any';
      if (attributes.test(name) || !isSecretValue({ value: key, care })) return [];
      return [{ start: from + start, end: from + end }];
    });
  });
}
