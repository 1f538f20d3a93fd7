import type { Random } from '../random.ts';

/** Text in several scripts, to detect code that counts letters as tokens. */
const prose: readonly [string, ...string[]] = [
  'The cache is cold after a restart, so the first request always misses.',
  'Bitte ändere nichts an der öffentlichen Schnittstelle.',
  '请不要修改公共接口，只修复失败的测试。',
  'テストが落ちる理由を調べて、最小の修正をしてください。',
  'Проверь, почему сборка падает только на arm64.',
  'لا تحذف أي ملف بدون إذن.',
  'Looks good 👍 but the 👩‍👩‍👧 emoji test still fails ❌.',
  'We decided to keep SQLite; PostgreSQL comes later.',
];

const requests: readonly [string, ...string[]] = [
  'Find out why the nightly build is red and fix it.',
  'Rename the setting `colour` to `color` everywhere; keep the old name working.',
  'Never touch anything under vendor/. Add a test for the empty file.',
  'Warum dauert der Import so lange? Miss es, bevor du etwas änderst.',
  '把日志改成 JSON 格式。',
  'Continue.',
];

const modules: readonly [string, ...string[]] = ['parser', 'store', 'index', 'cache', 'router', 'ledger', 'worker'];

export function sentence(random: Random): string {
  return random.pick(prose);
}

export function request(random: Random): string {
  return random.pick(requests);
}

export function path(random: Random): string {
  return `src/${random.pick(modules)}/${random.pick(modules)}${random.int(0, 40)}.ts`;
}

export function code(random: Random, lines: number): string {
  return Array.from({ length: lines }, (_, line) => {
    const name = `${random.pick(modules)}${random.int(0, 99)}`;
    return random.pick([
      `export function ${name}(input: ${name}Input): number {`,
      `  const ${name} = await load('${path(random)}', { retries: ${line % 5} });`,
      `  if (${name}.length > ${random.int(0, 9999)}) throw new Error('too long');`,
      '}',
      `// ${sentence(random)}`,
    ]);
  }).join('\n');
}

export function log(random: Random, lines: number): string {
  return Array.from({ length: lines }, (_, line) => {
    const at = new Date(Date.UTC(2026, 0, 1) + line * 137).toISOString();
    const hash = random.int(0, 0xffffffff).toString(16).padStart(8, '0');
    return random.pick([
      `${at} INFO  request ${hash} took ${random.int(1, 4000)} ms`,
      `${at} ERROR ${path(random)}:${random.int(1, 400)} assertion failed: expected ${random.int(0, 99)}`,
      `✓ ${random.pick(modules)} handles case ${line} (${random.int(1, 90)} ms)`,
    ]);
  }).join('\n');
}

export function json(random: Random, entries: number): string {
  const list = Array.from({ length: entries }, (_, id) => ({
    id,
    name: random.pick(modules),
    ok: random.chance(0.9),
    tags: [random.pick(modules)],
    size: random.int(0, 1e6),
  }));
  return JSON.stringify({ results: list });
}
