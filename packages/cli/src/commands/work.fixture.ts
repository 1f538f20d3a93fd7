import type { MemoryWorld } from '../io/memory-io.ts';
import { world } from './sessions.fixture.ts';

const rounds = 24;

/** A session of an agent at work, as a client of Anthropic would send it: some 15,000 tokens, most of them output. */
const request = {
  system: 'You are a careful engineer.',
  tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: 'Make the importer fast. Never push to main.' },
    ...call({ id: 'todo', name: 'TodoWrite', input: { todos: todos('in_progress') }, output: 'ok' }),
    ...call({ id: 'read', name: 'Read', input: { file_path: 'src/import.ts' }, output: '1\texport {}' }),
    ...Array.from({ length: rounds }, (_, round) => roundOf(round)).flat(),
    ...call({ id: 'edit', name: 'Write', input: { file_path: 'src/import.ts', content: 'export const fast = 1;\n' } }),
    ...call({ id: 'test', name: 'Bash', input: { command: 'npx vitest run' }, output: ' Tests  12 passed (12)' }),
    ...call({ id: 'done', name: 'TodoWrite', input: { todos: todos('completed') }, output: 'ok' }),
    { role: 'assistant', content: 'The importer is twice as fast.' },
  ],
};

function todos(status: string) {
  return [{ content: 'Measure the importer', status, activeForm: 'Measuring' }];
}

function call(of: { id: string; name: string; input: object; output?: string }) {
  const { id, name, input, output = 'ok' } = of;
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: output }] },
  ];
}

function roundOf(round: number) {
  const lines = Array.from(
    { length: 30 },
    (_, line) => `${round}.${line} parsed record_${round * 31 + line} in ${line * 7} ms`,
  );
  return [
    ...call({ id: `c${round}`, name: 'Bash', input: { command: `./bench --seed ${round}` }, output: lines.join('\n') }),
    { role: 'assistant', content: `Seed ${round} is slow since record_${round * 31} is read twice.` },
    { role: 'user', content: `Go on with seed ${round + 1}.` },
  ];
}

/** A world in which that session is imported. @1 is its head, @2 what was asked first. */
export async function withWork(given: MemoryWorld = {}) {
  const made = world({ ...given, files: { ...given.files, '/project/work.json': JSON.stringify(request) } });
  const { value } = await made.json('import', 'work.json');
  return { ...made, id: String(value.sessionId) };
}
