/** A module to port, and a fact about it that must not be lost. */
export interface DemoModule {
  readonly name: string;
  readonly fact: string;
}

const modules: readonly (readonly [name: string, fact: string])[] = [
  ['invoices', 'An invoice number never has a gap'],
  ['payments', 'Amounts stay whole cents, also on the wire'],
  ['refunds', 'Refunds have to stay idempotent: the key is the payment id'],
  ['taxes', 'The rates come from config/rates.yaml, not from the code'],
  ['customers', 'A customer may have two addresses, and the older one wins'],
  ['ledger', 'Entries of the ledger are append-only'],
  ['reports', 'Finance reads the reports at 06:00 UTC'],
  ['webhooks', 'The signing header is X-Billing-Signature'],
  ['currencies', 'JPY has no decimals, that bit us in March'],
  ['exports', 'The column order is part of the contract with the accountants'],
  ['discounts', 'Discounts apply before tax, in every country'],
  ['dunning', 'Three letters, then a person looks at it'],
  ['limits', 'The default is 40 requests a second and customer'],
  ['audit', 'Nothing of the audit trail is ever deleted'],
  ['search', 'A query of two letters must not scan the table'],
];

/** A rule stated once that applies for good. */
const rule = 'Never touch vendor/.';

const together = 5;

/** One task: a few modules at a time. */
export interface DemoTask {
  readonly say: string;
  readonly modules: readonly DemoModule[];
}

/** All tasks, in order. */
export const demoTasks: readonly DemoTask[] = Array.from({ length: modules.length / together }, (_, index) => {
  const some = modules.slice(index * together, (index + 1) * together).map(([name, fact]) => ({ name, fact }));
  const names = some.map(({ name }) => name).join(', ');
  const facts = some.map(({ fact }) => `${fact}.`).join(' ');
  const opening = index === 0 ? `Port the billing service to gRPC, module by module. ${rule}` : 'Go on.';
  return { say: `${opening} Now ${names}. ${facts}`, modules: some };
});

/** A finding that the model states once, in an answer. */
export function finding({ name }: DemoModule): string {
  return `${name} parses its requests by hand in line ${40 + indexOf(name)}`;
}

/** Every planted fact. */
export const facts: readonly string[] = [
  rule,
  ...demoTasks.flatMap((task) => task.modules.flatMap((module) => [module.fact, finding(module)])),
];

/** Lines of a file before and after the port. */
const [found, written] = [150, 100];

/** The files of the agent's folder, by path. */
export function project(): Record<string, string> {
  const sources = modules.map(([name]) => [pathOf(name), source({ name, verb: 'decode', lines: found })]);
  return {
    ...Object.fromEntries(sources),
    'test.mjs': testProgram,
    'AGENTS.md': '# Billing\n\nRun `node test.mjs MODULE` before you say that something works.\n',
  };
}

export function pathOf(name: string): string {
  return `src/${name}.ts`;
}

/** A module after the port. */
export function ported(name: string): string {
  return source({ name, verb: 'encode', lines: written });
}

function indexOf(name: string): number {
  return modules.findIndex(([each]) => each === name);
}

function source(of: { readonly name: string; readonly verb: string; readonly lines: number }): string {
  const seed = indexOf(of.name);
  const lines = Array.from({ length: of.lines }, (_, line) => {
    const code = (seed * 7919 + line * 104_729 + of.verb.length) % 99_991;
    return `export const ${of.name}${line} = ${of.verb}(${code}, '${of.name}_${code.toString(36)}');`;
  });
  return `${lines.join('\n')}\n`;
}

/** The tests check what was really written. */
const testProgram = `import { readFileSync } from 'node:fs';

const [, , name] = process.argv;
const lines = readFileSync(\`src/\${name}.ts\`, 'utf8').trim().split('\\n');
const failed = lines.filter((line) => !line.includes('encode('));
for (const [at, line] of lines.entries()) console.log(line.includes('encode(') ? ' ok' : ' FAILED', name, 'case', at);
console.log(\`\${lines.length - failed.length} passed, \${failed.length} failed\`);
process.exitCode = failed.length > 0 ? 1 : 0;
`;
