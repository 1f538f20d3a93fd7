import { accept } from '../accept.ts';
import type { AttemptOutcome } from '../attempts.ts';
import type { SummaryJob, SummaryStrategy } from '../job.ts';
import { instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { narrativeText, surroundings } from '../prompts/surroundings.ts';
import { between, escaped, tags } from '../prompts/tags.ts';
import { tokensFor, tokensOfAll } from '../size.ts';
import { createYielder } from '../yield-to-event-loop.ts';
import { flatPrompt } from './simple.ts';

/** Maximum pieces, so that an input of any size takes a bounded number of calls. */
const maxPieces = 12;

/** Share of the input limit for the entries of one piece; the rest is for instructions and estimation errors. */
const pieceShare = 0.7;

/** Levels of detail, tried in order until the entries fit into the pieces. */
const details = [1, 0.3, 0.1, 0.03, 0];

/**
 * Map and merge, for a record too large for one request: a summary of each piece, sequentially (a local server answered two
 * at once with 429, pi #5536), then one of all of them. Retried once with smaller pieces if the provider reports overflow.
 */
export const chunked: SummaryStrategy = async (job) => {
  const outcome = await inPieces(job);
  if (!('rejection' in outcome) || outcome.rejection !== 'overflow') return outcome;
  return await inPieces({ ...job, inputLimit: Math.floor(job.inputLimit / 2) });
};

async function inPieces(job: SummaryJob): Promise<AttemptOutcome> {
  const { backend, runner, input, hasAlternative } = job;
  const pieces = await piecesOf(job);
  const most = Math.floor((job.inputLimit * pieceShare) / Math.max(1, pieces.length));
  const words = Math.min(job.words, Math.floor(most * 0.4));
  if (pieces.length === 0 || words < 40) {
    return runner.skip({
      strategy: 'chunked',
      backend,
      rejection: 'too-large',
      why: `The input limit of ${backend.name} is too small.`,
    });
  }
  const summaries: string[] = [];
  for (const entries of pieces) {
    const { forbidsTools } = backend;
    const flat = await flatPrompt({ ...job, entries, words, form: 'piece', forbidsTools });
    const given = await tokensOfAll({ texts: entries, ...backend, most: job.inputLimit });
    const outcome = await runner.ask({
      strategy: 'chunked',
      backend,
      hasAlternative,
      isPiece: true,
      call: (signal) => backend.ask({ ...flat, signal }),
      check: (reply) => accept({ ...job, reply, format: backend.model ? 'open' : 'any', given, most }),
    });
    if ('rejection' in outcome) return outcome;
    summaries.push(narrativeText(outcome.narrative));
  }
  const prompt = mergePrompt({ job, summaries });
  const given = tokensFor({ text: prompt, ...backend });
  return await runner.ask({
    strategy: 'chunked',
    backend,
    hasAlternative,
    call: (signal) => backend.ask({ system: role, prompt, signal }),
    check: (reply) => accept({ ...job, reply, format: backend.model ? 'open' : 'any', given, most: input.budget }),
  });
}

/** Entries grouped into pieces within the input limit, with less detail the more there are; too many lose the middle. */
async function piecesOf({
  record,
  backend,
  inputLimit,
}: Pick<SummaryJob, 'record' | 'backend' | 'inputLimit'>): Promise<string[][]> {
  const each = Math.floor(inputLimit * pieceShare) - tokensFor({ text: role, ...backend });
  if (each <= 0) return [];
  const flat = await record();
  const yieldToEventLoop = createYielder();
  let pieces: string[][] = [];
  for (const detail of details) {
    const entries: { readonly text: string; readonly tokens: number }[] = [];
    for (const text of await flat.entries({ detail })) {
      entries.push({ text, tokens: tokensFor({ text, ...backend }) + 1 });
      await yieldToEventLoop(text.length);
    }
    const isLeast = detail === details.at(-1);
    if (!isLeast && entries.some(({ tokens }) => tokens > each)) continue;
    // At the lowest detail, entries that are still too large are dropped, such as a message with a thousand calls.
    pieces = grouped({ entries: entries.filter(({ tokens }) => tokens <= each), each });
    if (pieces.length <= maxPieces) return pieces;
  }
  const left = pieces.length - maxPieces;
  const [first = [], second = []] = pieces;
  const note = `[… ${pieces.slice(2, 2 + left).flat().length} entries left out …]`;
  return [first, [...second, note], ...pieces.slice(2 + left)];
}

function grouped(of: {
  readonly entries: readonly { readonly text: string; readonly tokens: number }[];
  readonly each: number;
}): string[][] {
  const groups: string[][] = [];
  let left = 0;
  for (const { text, tokens } of of.entries) {
    const group = groups.at(-1);
    if (group && tokens <= left) {
      group.push(text);
      left -= tokens;
    } else {
      groups.push([text]);
      left = of.each - tokens;
    }
  }
  return groups;
}

function mergePrompt({ job, summaries }: { readonly job: SummaryJob; readonly summaries: readonly string[] }): string {
  const { input, mask, words, backend } = job;
  const parts = summaries.map((text) => between(tags.parts, escaped(text)));
  const instructions = instructionsFor({
    form: 'pieces',
    words,
    isUpdate: input.previous !== undefined,
    forbidsTools: backend.forbidsTools,
    instead: input.instructions,
    focus: input.focus,
  });
  return [...parts, ...surroundings({ input, mask, withPrevious: true }), mask(instructions)].join('\n\n');
}
