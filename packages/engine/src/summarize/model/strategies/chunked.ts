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

/** So many pieces at most: an input of any size takes a bounded number of calls. */
const mostPieces = 12;

/** Of the room, what the record of one piece may take; the rest is for instructions and for what was counted too low. */
const pieceShare = 0.7;

/** In how much detail entries are shown, until they fit into the pieces. */
const details = [1, 0.3, 0.1, 0.03, 0];

/**
 * Map and merge, for a record that the model does not take at once: a summary of each piece, one after another (a local
 * server answered two at once with 429, pi #5536), and one of all of them. Where a piece is still too large for the
 * provider, once more with smaller ones.
 */
export const chunked: SummaryStrategy = async (job) => {
  const outcome = await inPieces(job);
  if (!('refusal' in outcome) || outcome.refusal !== 'overflow') return outcome;
  return await inPieces({ ...job, inputLimit: Math.floor(job.inputLimit / 2) });
};

async function inPieces(job: SummaryJob): Promise<AttemptOutcome> {
  const { backend: voice, runner: tries, input, hasOther } = job;
  const pieces = await piecesOf(job);
  const most = Math.floor((job.inputLimit * pieceShare) / Math.max(1, pieces.length));
  const words = Math.min(job.words, Math.floor(most * 0.4));
  if (pieces.length === 0 || words < 40) {
    return tries.skip({
      strategy: 'chunked',
      voice,
      refusal: 'too-large',
      why: `${voice.name} takes too little at once.`,
    });
  }
  const told: string[] = [];
  for (const entries of pieces) {
    const { forbidsTools } = voice;
    const flat = await flatPrompt({ ...job, entries, words, form: 'piece', forbidsTools });
    const given = await tokensOfAll({ texts: entries, ...voice, most: job.inputLimit });
    const outcome = await tries.ask({
      ...{ strategy: 'chunked', voice, hasOther, isPiece: true },
      call: (signal) => voice.ask({ ...flat, signal }),
      judge: (reply) => accept({ ...job, reply, manner: voice.model ? 'open' : 'any', given, most }),
    });
    if ('refusal' in outcome) return outcome;
    told.push(narrativeText(outcome.narrative));
  }
  const prompt = mergeOf({ job, told });
  const given = tokensFor({ text: prompt, ...voice });
  return await tries.ask({
    ...{ strategy: 'chunked', voice, hasOther },
    call: (signal) => voice.ask({ system: role, prompt, signal }),
    judge: (reply) => accept({ ...job, reply, manner: voice.model ? 'open' : 'any', given, most: input.budget }),
  });
}

/** Entries in pieces that the voice takes, in less detail the more there are; of far too many those in the middle go. */
async function piecesOf({ record, backend: voice, inputLimit: room }: Pick<SummaryJob, 'record' | 'voice' | 'room'>): Promise<string[][]> {
  const each = Math.floor(room * pieceShare) - tokensFor({ text: role, ...voice });
  if (each <= 0) return [];
  const told = await record();
  const breathe = createYielder();
  let pieces: string[][] = [];
  for (const detail of details) {
    const entries: { readonly text: string; readonly tokens: number }[] = [];
    for (const text of await told.entries({ detail })) {
      entries.push({ text, tokens: tokensFor({ text, ...voice }) + 1 });
      await breathe(text.length);
    }
    const isLeast = detail === details.at(-1);
    if (!isLeast && entries.some(({ tokens }) => tokens > each)) continue;
    // A message of a thousand calls is too large even so.
    pieces = grouped({ entries: entries.filter(({ tokens }) => tokens <= each), each });
    if (pieces.length <= mostPieces) return pieces;
  }
  const left = pieces.length - mostPieces;
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

function mergeOf({ job, told }: { readonly job: SummaryJob; readonly told: readonly string[] }): string {
  const { input, mask, words, backend: voice } = job;
  const parts = told.map((text) => between(tags.parts, escaped(text)));
  const instructions = instructionsFor({
    form: 'pieces',
    words,
    isUpdate: input.previous !== undefined,
    forbidsTools: voice.forbidsTools,
    instead: input.instructions,
    focus: input.focus,
  });
  return [...parts, ...surroundings({ input, mask, withPrevious: true }), mask(instructions)].join('\n\n');
}
