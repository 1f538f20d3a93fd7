import type { Message, Part, ToolCallPart } from 'longhaul/message';

/** What is ported, and what a person says to it. */
const modules = [
  ['invoices', 'Port the billing service to gRPC, module by module. Never touch vendor/. Begin with invoices.'],
  ['payments', 'Next payments. Amounts stay whole cents, also on the wire.'],
  ['refunds', 'Now refunds. They have to stay idempotent: the key is the payment id.'],
  ['taxes', 'Taxes next. The rates come from config/rates.yaml, not from the code.'],
  ['customers', 'Then customers. Always run the tests before you say that something works.'],
  ['ledger', 'The ledger now. Its entries are append-only, keep it that way.'],
  ['reports', 'Reports, please. Finance reads them at 06:00 UTC.'],
  ['webhooks', 'Webhooks. The signing header is X-Billing-Signature.'],
  ['currencies', 'Currencies. JPY has no decimals, that bit us in March.'],
  ['exports', 'Exports. The column order is part of the contract with the accountants.'],
  ['discounts', 'Discounts: they apply before tax, in every country.'],
  ['dunning', 'Dunning. Three letters, then a person looks at it.'],
  ['limits', 'Limits next. The default is 40 requests a second and customer.'],
  ['audit', 'The audit trail. Nothing of it is ever deleted.'],
  ['search', 'Search. A query of two letters must not scan the table.'],
  ['health', 'And the health check: it may not call the bank.'],
] as const;

/** Lines of a file as it is found, and as it is written. */
const found = 90;
const written = 60;

/**
 * One round of the work after the other, for ever: what a person asks for, then what the agent says and what its tools
 * answer, in turn. The same each time.
 *
 * @example
 * for (const { asked, steps } of longWork()) …
 */
export function* longWork(): Generator<{ readonly asked: string; readonly steps: readonly Message[] }> {
  for (let round = 0; ; round += 1) {
    const [name, asked] = modules[round % modules.length] ?? modules[0];
    const again =
      round < modules.length ? '' : ` Pass ${Math.floor(round / modules.length) + 1}: only what the review found.`;
    yield { asked: `${asked}${again}`, steps: stepsOf({ name, round }) };
  }
}

function stepsOf({ name, round }: { readonly name: string; readonly round: number }): Message[] {
  const path = `src/billing/${name}.ts`;
  const passed = 31 + round * 3;
  const call = (step: string) => `call_${round}_${step}`;
  return [
    calls({ text: `I read ${name} first.`, id: call('read'), name: 'read_file', input: { path } }),
    result({ id: call('read'), text: source({ name, verb: 'decode', seed: round, lines: found }) }),
    calls({
      text: `${name} parses its requests by hand in line ${40 + round}; the generated decoder does that now.`,
      id: call('edit'),
      name: 'write_file',
      input: { path, content: source({ name, verb: 'encode', seed: round + 50, lines: written }) },
    }),
    result({ id: call('edit'), text: `${path} written` }),
    calls({ text: '', id: call('test'), name: 'run', input: { command: `npx vitest run ${name}` } }),
    result({ id: call('test'), text: testLog({ name, round, passed }) }),
    said(`${name} is ported: ${passed} tests pass. The slowest took ${180 + round * 7} ms.`),
  ];
}

function source(of: {
  readonly name: string;
  readonly verb: string;
  readonly seed: number;
  readonly lines: number;
}): string {
  const { name, verb, seed, lines } = of;
  return Array.from({ length: lines }, (_, line) => {
    const code = (seed * 7919 + line * 104_729) % 99_991;
    return `export const ${name}${line} = ${verb}(${code}, '${name}_${code.toString(36)}');`;
  }).join('\n');
}

function testLog({
  name,
  round,
  passed,
}: {
  readonly name: string;
  readonly round: number;
  readonly passed: number;
}): string {
  const cases = Array.from(
    { length: passed },
    (_, test) => ` ✓ ${name} case ${test} (${(round * 131 + test * 17) % 180} ms)`,
  );
  return [...cases, ` Test Files  1 passed (1)`, `      Tests  ${passed} passed (${passed})`].join('\n');
}

function calls({
  text,
  ...call
}: {
  readonly text: string;
  readonly id: string;
  readonly name: string;
  readonly input: object;
}): Message {
  const { id, name, input } = call;
  const part: ToolCallPart = { type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(input) };
  const parts: Part[] = text === '' ? [part] : [{ type: 'text', origin: 'model', text }, part];
  return { role: 'assistant', parts };
}

function result({ id, text }: { readonly id: string; readonly text: string }): Message {
  return {
    role: 'tool',
    parts: [{ type: 'tool_result', origin: 'tool', callId: id, content: [{ type: 'text', origin: 'tool', text }] }],
  };
}

function said(text: string): Message {
  return { role: 'assistant', parts: [{ type: 'text', origin: 'model', text }] };
}
