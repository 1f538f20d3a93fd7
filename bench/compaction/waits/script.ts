import { assistant, type Message, user } from 'longhaul/message';
import { randomFrom } from './random.ts';

/** One request of a session of an agent at work: what is new in it, what the model says to it, and how long that takes. */
export interface Round {
  /** What is said or found; it comes with the request. */
  readonly added: Message;
  readonly answer: Message;
  /** Milliseconds until the answer is there, and from then until there is something new to send. */
  readonly answering: number;
  readonly after: number;
}

/** Tool rounds in a turn, at most; most turns have far fewer. */
const mostRounds = 40;

/**
 * A long session as agents have them: turns of one to forty tool rounds, a task ticked off now and then, pauses of people,
 * some longer than a cache lasts, and now and then a turn that reads one large file after the other in no time.
 */
export function* scriptOf({ seed, rounds }: { readonly seed: number; readonly rounds: number }): Generator<Round> {
  const random = randomFrom(seed);
  const between = (from: number, to: number) => from + random() * (to - from);
  for (let round = 0, turn = 0; round < rounds; turn += 1) {
    const isBurst = random() < 0.1;
    const length = Math.min(rounds - round, 1 + Math.floor(mostRounds * random() ** 2));
    for (let step = 0; step < length; step += 1, round += 1) {
      const isLast = step === length - 1;
      const lines = isBurst ? between(50, 90) : between(1, 5) * (random() < 0.1 ? 5 : 1);
      yield {
        added: step === 0 ? asked({ turn, random }) : found({ round, lines, random }),
        answer: isLast ? said(`Part ${turn} is done, in ${length} steps.`) : called({ round: round + 1, random }),
        answering: isBurst ? between(1_000, 3_000) : between(2_000, 15_000),
        after: isLast ? pauseOf({ random, between }) : isBurst ? between(50, 400) : between(200, 20_000),
      };
    }
  }
}

/** People read, think and type; now and then they are away for longer than a cache lasts. */
function pauseOf({
  random,
  between,
}: {
  readonly random: () => number;
  readonly between: (from: number, to: number) => number;
}): number {
  return random() < 0.1 ? between(600_000, 3_600_000) : between(10_000, 120_000);
}

function asked({ turn, random }: { readonly turn: number; readonly random: () => number }): Message {
  const text = `Now part ${turn}: see why ${nameOf(random)} and ${nameOf(random)} do not agree.`;
  return user(text);
}

function called({ round, random }: { readonly round: number; readonly random: () => number }): Message {
  const isTask = random() < 0.08;
  const todos = [{ content: `Step ${round}`, status: 'completed', activeForm: `Doing step ${round}` }];
  const path = `src/${nameOf(random)}.ts`;
  return {
    role: 'assistant',
    parts: [
      { type: 'text', origin: 'model', text: `${nameOf(random)} is next, since ${nameOf(random)} depends on it.` },
      {
        type: 'tool_call',
        origin: 'model',
        id: `call_${round}`,
        name: isTask ? 'TodoWrite' : 'Bash',
        arguments: JSON.stringify(isTask ? { todos } : { command: `grep -n ${nameOf(random)} ${path}` }),
      },
    ],
  };
}

function found(of: { readonly round: number; readonly lines: number; readonly random: () => number }): Message {
  const { round, lines, random } = of;
  const text = Array.from(
    { length: Math.round(lines) },
    (_, line) => `${line + 1}: const ${nameOf(random)} = ${nameOf(random)}(${Math.floor(random() * 10_000)});`,
  ).join('\n');
  return {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'tool',
        callId: `call_${round}`,
        content: [{ type: 'text', origin: 'tool', text }],
      },
    ],
  };
}

function said(text: string): Message {
  return assistant(text);
}

const words = ['cache', 'index', 'parser', 'lease', 'quota', 'batch', 'shard', 'token', 'route', 'queue'];

function nameOf(random: () => number): string {
  const word = () => words[Math.floor(random() * words.length)] ?? 'thing';
  return `${word()}_${word()}_${Math.floor(random() * 500)}`;
}
