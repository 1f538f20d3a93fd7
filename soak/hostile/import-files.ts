import type { Json, JsonObject } from 'longhaul';
import type { Random } from 'longhaul/testing';
import { claudeFile, text } from '../../packages/engine/src/formats/claude-code/lines.fixture.ts';
import { oneTurn as codexTurn } from '../../packages/engine/src/formats/fixtures/codex-file.ts';
import { oneTurn as copilotTurn } from '../../packages/engine/src/formats/fixtures/copilot-file.ts';
import { longTalk } from '../../packages/engine/src/formats/fixtures/gemini-file.ts';
import { exported, talk } from '../../packages/engine/src/formats/fixtures/opencode-session.ts';
import { classicRun, sdkEvents } from '../../packages/engine/src/formats/fixtures/openhands-file.ts';
import { everyKind } from '../../packages/engine/src/formats/fixtures/pi-file.ts';
import { textAttempt } from '../../packages/engine/src/formats/fixtures/swe-agent-file.ts';

const chat: Json = [
  { role: 'user', content: 'Fix the build.' },
  { role: 'assistant', content: 'Done.' },
];
const anthropic: Json = {
  system: 'Be brief.',
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Fix the build.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
  ],
};
const responses: Json = [
  { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the build.' }] },
  { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
  { type: 'function_call_output', call_id: 'c1', output: 'ok' },
];
const entry = (handle: number): Json => ({
  v: 1,
  id: `e${handle}`,
  parentId: handle === 1 ? null : `e${handle - 1}`,
  handle,
  at: 1_700_000_000_000 + handle,
  epoch: null,
  type: 'message',
  message: { role: 'user', parts: [{ type: 'text', origin: 'human', text: `Text ${handle}.` }] },
});
const own: Json[] = [
  { type: 'session', format: 'longhaul', v: 1, id: 's-own', createdAt: 1_700_000_000_000 },
  ...[1, 2, 3].map(entry),
];

/** A small session of each format: records of a file with one a line, or one document. */
function originals(): readonly (readonly Json[])[] {
  const claude = claudeFile();
  claude.user('Fix the build.');
  claude.answer('msg_1', text('Done.'));
  const records = [own, everyKind(), claude.lines, codexTurn(), copilotTurn(), longTalk(), sdkEvents()];
  const tau = { task_id: 1, trial: 0, reward: 0, info: {}, traj: chat };
  const gemini = { contents: [{ role: 'user', parts: [{ text: 'Fix the build.' }] }] };
  const documents = [JSON.parse(exported(talk)), classicRun(), textAttempt(), tau, chat, anthropic, responses, gemini];
  return [...(records as Json[][]), ...documents.map((document) => [document as Json])];
}

const aider = '# aider chat started at 2026-01-02 03:04:05\n\n#### Fix it.  \n\nDone.\n';

/** Times that cannot be true, in the notations that agents use. */
const times: readonly [Json, ...Json[]] = [
  ...([8.64e15, 8.64e15 + 1, 1e300, -1, -8.64e15, 253_402_300_800_000, 1.5, 0, 2 ** 53] as const),
  ...([
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00.001Z',
    '-000001-01-01T00:00:00Z',
    'Infinity',
    '',
    '0000',
  ] as const),
];
const values: readonly [Json, ...Json[]] = [
  null,
  ...['', 0, -1, 1e300, true, [], {}, [[]], [null], { type: 'x' }, '__proto__', '\u0000', 'a\u0000b', '\ud800'],
  ...['../../etc/passwd', '\u001b[2J', 'x'.repeat(100_000), { __proto__: null, constructor: 1 }],
];

/** Stands for a value that is nested too deeply for `JSON.stringify`. */
const deepMark = '@@deep@@';

/** One file of any format to which someone has done harm. */
export function hostileFile(random: Random): string {
  if (random.chance(0.05)) return harmText({ random, file: aider });
  const files = originals();
  const records = structuredClone(files[random.int(0, files.length - 1)] ?? []) as Json[];
  const count = random.int(1, 5);
  for (let number = 0; number < count; number += 1) harm({ random, records });
  const depth = random.pick([10, 1_000, 20_000]);
  const deep = random.pick([
    `${'['.repeat(depth)}${']'.repeat(depth)}`,
    `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
  ]);
  const file = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const nested = file.replaceAll(JSON.stringify(deepMark), deep);
  return random.chance(0.2) ? harmText({ random, file: nested }) : nested;
}

interface Place {
  readonly holder: JsonObject | Json[];
  readonly key: string;
}

function harm({ random, records }: { readonly random: Random; readonly records: Json[] }): void {
  const places = placesIn(records);
  const [first] = places;
  if (!first) return;
  const timed = places.filter(({ key }) => /time|date|created|updated|^at$|stamp/i.test(key));
  const named = places.filter(({ key }) => /id$|uuid/i.test(key));
  const any = () => random.pick([first, ...places]);
  const attacks: readonly [() => unknown, ...(() => unknown)[]] = [
    // All times of a file, or one of them.
    () => {
      const time = random.pick(times);
      for (const place of timed) if (random.chance(0.8)) put(place, time);
    },
    // Duplicate ids, and parents that form a cycle.
    () => {
      const ids = named.map(get);
      for (const place of named) if (random.chance(0.5)) put(place, ids[random.int(0, ids.length - 1)] ?? null);
    },
    () => put(any(), random.pick(values)),
    () => put(any(), random.pick(times)),
    () => put(any(), deepMark),
    () => put(any(), structuredClone(get(any()))),
    () => records.splice(random.int(0, records.length), 0, structuredClone(records[0] ?? null)),
    () => records.length > 1 && records.splice(random.int(0, records.length - 1), 1),
  ];
  random.pick(attacks)();
}

/** Bytes that are no session: torn off, with NULs, with a line beyond the limit. */
function harmText({ random, file }: { readonly random: Random; readonly file: string }): string {
  const at = random.int(0, file.length);
  const insert = random.pick(['\u0000', '\u0000'.repeat(5_000), '\ufeff', '\n\n', '[', '{', 'x'.repeat(600_000), '\r']);
  return random.chance(0.3) ? file.slice(0, at) : `${file.slice(0, at)}${insert}${file.slice(at)}`;
}

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as JsonObject | Json[];
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(get({ holder, key }))]);
}

function get({ holder, key }: Place): Json {
  return (holder as Record<string, Json>)[key] ?? null;
}

function put({ holder, key }: Place, value: Json): void {
  (holder as Record<string, Json>)[key] = structuredClone(value);
}
