import { globSync, readFileSync } from 'node:fs';
import type { AgentEvent } from 'longhaul/agent';
import { presets, shellEvents } from 'longhaul/engine';
import { exportFormats, importFormats } from 'longhaul/formats';
import { expect, test } from 'vitest';
import { fields, flatPolicy } from '../../packages/cli/src/commands/presets.ts';
import { exitCodes } from '../../packages/cli/src/errors/exit-codes.ts';
import { agents } from '../../packages/cli/src/scan/agents.ts';
import { settingsOf } from '../../packages/cli/src/settings/catalog.ts';
import { settingsSchema } from '../../packages/cli/src/settings/schema.ts';
import { eventNames } from '../../packages/engine/src/engine/events/event.ts';
import { engineEvents } from '../../packages/engine/src/engine/fixtures/engine-events.ts';
import { answerMembers } from '../../packages/engine/src/engine/hooks/answer-members.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
/** The rows of the table that has this heading row. */
const table = ({ text, heading }: { text: string; heading: string }) => {
  const lines = text.split('\n');
  const start = lines.indexOf(heading) + 2;
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.slice(start, start + length);
};

test('docs/settings.md has every setting as the schema has it', () => {
  const rows = settingsOf({ schema: settingsSchema }).map(({ key, variable, flag, accepts, fallback, description }) => {
    const names = [key, variable, flag].map((name) => (name === undefined ? '' : `\`${name}\``));
    const value = typeof fallback === 'object' ? JSON.stringify(fallback) : String(fallback ?? '');
    return `| ${[...names, accepts, value === '' ? '' : `\`${value}\``, description].join(' | ')} |`;
  });
  const heading = '| key | environment | flag | accepts | default | what it does |';
  expect(table({ text: page('settings.md'), heading })).toEqual(rows);
});

test('docs/compaction.md has every setting of a policy, with what each preset says', () => {
  const rows = Object.entries(fields).map(([key, { member, sentence, value }]) => {
    const values = Object.values(presets).map((preset) => value(flatPolicy(preset)));
    return `| ${[`\`${member}\``, `\`${key}\``, sentence, ...values].join(' | ')} |`;
  });
  const heading = '| member | in JSON | what | longhaul | chat | cli | pi |';
  expect(table({ text: page('compaction.md'), heading })).toEqual(rows);
});

test('docs/events.md has every event with every member that it can have', () => {
  const text = page('events.md');
  const rows = table({ text, heading: '| event | when | members |' });
  const common = ['type', 'session', 'at'];
  expect(rows.map((row) => row.split('`')[1])).toEqual([...eventNames]);
  eventNames.forEach((name, index) => {
    const reported = name === 'compactionComplete' ? text : (rows[index] ?? '');
    const members = Object.keys(engineEvents[name]).filter((member) => !common.includes(member));
    expect(members.filter((member) => !reported.includes(`\`${member}\``))).toEqual([]);
  });
});

test('docs/hooks.md has every hook with what it may answer', () => {
  const rows = table({ text: page('hooks.md'), heading: '| when | function | command | may answer |' });
  const reported = rows.map((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, word]) => word));
  expect(reported).toEqual(
    Object.entries(shellEvents).map(([event, hook]) => [hook, event, ...Object.keys(answerMembers[hook])]),
  );
});

test('docs/cli.md has every exit code as --help has it', () => {
  const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  expect(table({ text: page('cli.md'), heading: '| code | meaning |' })).toEqual(rows);
});

test('docs/cli.md names every error code that the command has', () => {
  const source = new URL('../../packages/cli/src/', import.meta.url);
  const codes = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts'] }).flatMap((path) => {
    const text = readFileSync(new URL(path, source), 'utf8');
    return [...text.matchAll(/(?:\bcode: |\.\w+': )'([a-z0-9-]+)'/g)].map(([, code = '']) => code);
  });
  expect(codes.length).toBeGreaterThan(20);
  const text = page('cli.md');
  expect([...new Set(codes)].filter((code) => !text.includes(`\`${code}\``))).toEqual([]);
});

test('docs/import.md names every agent that is looked for, with what moves its sessions', () => {
  const rows = table({ text: page('import.md'), heading: '| agent | where | moved by |' });
  expect(rows.map((row) => row.split('`')[1])).toEqual(agents.map(({ name }) => name));
  agents.forEach(({ places }, index) => {
    const variables = places.flatMap(({ variable }) => variable ?? []);
    expect(variables.filter((variable) => !rows[index]?.includes(`\`${variable}\``))).toEqual([]);
  });
});

test('docs/formats.md has a section for every format that can be read', () => {
  const sections = [...page('formats.md').matchAll(/^## (.+)$/gm)].flatMap(([, title = '']) => title.split(', '));
  expect(sections.toSorted()).toEqual([...importFormats].toSorted());
});

test('docs/export.md has a row for every format that can be written', () => {
  const heading = '| format | what is in it | what import makes of it |';
  const rows = table({ text: page('export.md'), heading }).map((row) => row.split('|')[1] ?? '');
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named).toEqual([...exportFormats]);
});

type EventOf<Type, Event = AgentEvent> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Event
    : never
  : never;

/** Every event with every member that it can have: the compiler says what is missing here. */
const agentEvents: {
  readonly [Type in AgentEvent['type']]: Readonly<Record<Exclude<keyof EventOf<Type>, 'type'>, true>>;
} = {
  run_start: { session: true, model: true, cwd: true, resumed: true },
  turn_start: { turn: true, tokens: true, bound: true, window: true, messageCount: true },
  text: { delta: true },
  thinking: { delta: true },
  answer: { message: true, reason: true, entry: true, requestId: true },
  usage: { usage: true, costUsd: true, messageCount: true, requestId: true },
  permission: { request: true },
  tool_start: { callId: true, tool: true, input: true, summary: true },
  tool_output: { callId: true, text: true },
  tool_end: { callId: true, tool: true, isError: true, text: true, ms: true, details: true, entry: true },
  said: { how: true, text: true },
  retry: { attempt: true, delayMs: true, failure: true },
  overflow: { failure: true },
  provider_compaction: { kind: true, name: true, tokens: true },
  model: { from: true, to: true },
  subagent_start: { session: true, callId: true, task: true, agent: true, costUsd: true },
  subagent_end: { session: true, callId: true, task: true, agent: true, costUsd: true },
  engine: { event: true },
  notice: { text: true },
  run_end: { reason: true, turns: true, usage: true, costUsd: true, text: true, failure: true },
};

test('docs/agent.md has every event of the agent with every member that it can have', () => {
  const rows = table({ text: page('agent.md'), heading: '| event | members | when |' });
  const reported = rows.flatMap((row) => {
    const [, names = '', members = ''] = row.split('|');
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => [name, members] as const);
  });
  expect(reported.map(([name]) => name).toSorted()).toEqual(Object.keys(agentEvents).toSorted());
  const missing = Object.entries(agentEvents).flatMap(([name, members]) =>
    Object.keys(members).filter((member) => !new Map(reported).get(name)?.includes(`\`${member}\``)),
  );
  expect(missing).toEqual([]);
});

test('docs/agent.md has every exit code', () => {
  const rows = table({ text: page('agent.md'), heading: '| code | `longhaul -p` and `longhaul run` |' });
  expect(rows.map((row) => Number(row.split('|')[1]))).toEqual(exitCodes.map(({ code }) => code));
});
