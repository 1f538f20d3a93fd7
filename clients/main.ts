/** Real clients through the gateway; `npm run clients -- --help`. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { catalog } from './catalog.ts';
import { installedProgram } from './install.ts';
import { judgeRun } from './result.ts';
import { runScenario } from './run-scenario.ts';
import { recording, scenarios } from './scenarios.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    install: { type: 'boolean', default: false },
    scenario: { type: 'string', multiple: true, default: [] },
    scratch: { type: 'string', default: join(tmpdir(), 'longhaul-clients') },
    direct: { type: 'boolean', default: false },
    record: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const names = new Set(catalog.flatMap(({ name, command }) => [command, name]));
const scenarioNames = scenarios.map(({ name }) => name);
if (values.help) {
  console.log(`npm run clients -- [CLIENT…] [--scenario NAME]… [--install] [--scratch FOLDER] [--direct] [--record FOLDER]

Drives real clients through the gateway, and compares each run with one without it. All clients and scenarios by default.

  --scenario NAME   ${scenarioNames.join(', ')}
  --install         installs missing clients from npm into the scratch folder, with their install scripts
  --scratch FOLDER  for clients, their homes and projects (default: ${join(tmpdir(), 'longhaul-clients')})
  --direct          only without the gateway
  --record FOLDER   writes the requests of a short conversation as a fixture

Clients: ${[...names].join(', ')}`);
  process.exit();
}
const unknown =
  positionals.find((name) => !names.has(name)) ?? values.scenario.find((name) => !scenarioNames.includes(name));
if (unknown !== undefined) {
  console.error(`Unknown client or scenario "${unknown}". npm run clients -- --help lists them.`);
  process.exit(2);
}

const chosen = catalog.filter(({ name, command }) =>
  positionals.length === 0 ? true : positionals.includes(name) || positionals.includes(command),
);
const wanted = scenarios.filter(({ name }) => values.scenario.length === 0 || values.scenario.includes(name));

for (const client of chosen) installedProgram({ client, scratch: values.scratch, mayInstall: values.install });

if (values.record !== undefined) {
  for (const client of chosen) {
    const run = await runScenario({
      client,
      scenario: recording,
      scratch: values.scratch,
      isWrapped: false,
      isRecorded: true,
    });
    writeFileSync(join(values.record, `${client.name}.json`), `${JSON.stringify(run.fixture, undefined, 2)}\n`);
    console.log(`${client.name}: ${run.requests} requests, ${run.texts.join(' | ')}`);
  }
  process.exit();
}

let failures = 0;
for (const scenario of wanted) {
  for (const client of chosen) {
    if (scenario.hasDelegation && !client.hasSubagents) continue;
    const direct = await runScenario({ client, scenario, scratch: values.scratch, isWrapped: false });
    const wrapped = values.direct
      ? direct
      : await runScenario({ client, scenario, scratch: values.scratch, isWrapped: true });
    const result = judgeRun({ client, scenario, direct, wrapped });
    console.log(result.line);
    for (const problem of result.problems) console.log(`    ${problem}`);
    failures += result.problems.length;
  }
}
process.exitCode = failures === 0 ? 0 : 1;
