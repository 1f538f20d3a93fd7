import type { LoopbackAnswer, LoopbackCall, LoopbackRequest } from 'longhaul/testing';

/** What the scripted agent does for ever: the work of a programmer who reads, tries, changes and looks back. */
export interface Work {
  /** Requests that were answered, those for summaries aside. */
  readonly rounds: number;
  readonly summaries: number;
  answer(request: LoopbackRequest): LoopbackAnswer;
}

/** Rounds between two prompts of the human. */
const perPrompt = 250;

export const modules = 40;

/** The answers of the model, by the number of the round alone: who is killed and comes back goes on in the work. */
export function createWork({ rounds: total }: { readonly rounds: number }): Work {
  let rounds = 0;
  let summaries = 0;
  return {
    get rounds() {
      return rounds;
    },
    get summaries() {
      return summaries;
    },
    answer({ headers }) {
      if (headers['x-interaction-type'] === 'conversation-compaction') {
        summaries += 1;
        return { text: summaryOf(rounds) };
      }
      rounds += 1;
      if (rounds > total || rounds % perPrompt === 0) return { text: `Part ${rounds} is done.` };
      return { thinking: `Round ${rounds}: what is next?`, text: `Step ${rounds}.`, toolCalls: callsAt(rounds) };
    },
  };
}

function callsAt(round: number): LoopbackCall[] {
  const path = `src/module-${round % modules}.ts`;
  const other = `src/module-${(round * 7) % modules}.ts`;
  switch (round % 10) {
    case 1:
    case 6:
      return [
        { name: 'read', arguments: { file_path: path } },
        { name: 'read', arguments: { file_path: other } },
      ];
    case 2:
      return [{ name: 'grep', arguments: { pattern: `value${round % modules}\\b`, path: 'src' } }];
    case 3:
      return [
        { name: 'write', arguments: { file_path: path, content: moduleText({ number: round % modules, round }) } },
      ];
    case 4:
      return [
        { name: 'bash', arguments: { command: `echo round ${round}; head -c 6000 ${other}; exit ${round % 3}` } },
      ];
    case 5:
      return [{ name: 'ls', arguments: { path: 'src' } }];
    case 7:
      return [{ name: 'todo', arguments: { todos: todosAt(round) } }];
    case 8:
      return [{ name: 'recall', arguments: { query: `round ${Math.max(1, round - 300)}` } }];
    case 9:
      return round % 90 === 9
        ? [
            {
              name: 'bash',
              arguments: { command: `for i in $(seq 1 4000); do echo "line $i of round ${round}"; done` },
            },
          ]
        : [{ name: 'find', arguments: { pattern: '*.ts' } }];
    default:
      return [{ name: 'read', arguments: { file_path: other } }];
  }
}

function todosAt(round: number): { readonly content: string; readonly status: string }[] {
  const now = Math.floor(round / 100);
  return [now - 1, now, now + 1].map((part) => ({
    content: `Part ${part} of the work`,
    status: part < now ? 'completed' : part === now ? 'in_progress' : 'pending',
  }));
}

/** A file of the workspace: some code, different each time it is written. */
export function moduleText({ number, round }: { readonly number: number; readonly round: number }): string {
  const lines = Array.from(
    { length: 60 },
    (_, line) => `export const value${number}_${line} = ${(round * 31 + line * 17) % 9973}; // round ${round}`,
  );
  return `// Module ${number}\n${lines.join('\n')}\n`;
}

function summaryOf(round: number): string {
  return `<analysis>What was done so far.</analysis>\n<summary>\n1. Overview: the modules are read, tried and written in turn.\n2. Progress: round ${round} was reached.\n3. Next: go on with the round after it.\n</summary>`;
}
