import type { Mask } from '../../../analysis/index.ts';
import { BudgetExceededError } from '../../../errors.ts';
import {
  Chunk,
  createPromptTokenizer,
  Fragment,
  h,
  render,
  SystemMessage,
  UserMessage,
} from '../../../prompt/index.ts';
import { toMessages } from '../../../prompt/internal.ts';
import type { SummaryInput } from '../../summarizer.ts';
import { accept } from '../accept.ts';
import type { SummaryBackend } from '../backend.ts';
import type { SummaryStrategy } from '../job.ts';
import { type PromptForm, instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { surroundings } from '../prompts/surroundings.ts';
import { between, tags } from '../prompts/tags.ts';
import { tokensFor, tokensOfAll } from '../size.ts';
import { tooLarge } from './live.ts';

/** A request that is one text. */
export interface FlatPrompt {
  readonly system: string;
  readonly prompt: string;
}

/** The record as one text, from the earlier summary on: no structure that a provider could reject. */
export const simple: SummaryStrategy = async (job) => {
  const { backend: voice, runner: tries, input, hasOther, inputLimit: room } = job;
  const entries = await (await job.record()).entries({ detail: 1 });
  const told = await tokensOfAll({ texts: entries, factor: voice.factor, most: room });
  if (told > room) return tooLarge({ job, strategy: 'simple' });
  const { factor, forbidsTools } = voice;
  const within = { room, told, factor };
  const flat = await flatPrompt({ ...job, entries, form: 'record', forbidsTools, within }).catch(exceeded);
  if (!flat) return tooLarge({ job, strategy: 'simple' });
  const size = told + besideSize({ flat, entries, voice });
  if (size > room) return tooLarge({ job, strategy: 'simple' });
  return await tries.ask({
    ...{ strategy: 'simple', voice, hasOther },
    call: (signal) => voice.ask({ ...flat, signal }),
    judge: (reply) => accept({ ...job, reply, manner: voice.model ? 'open' : 'any', given: size, most: input.budget }),
  });
};

/**
 * The text of a request for the summary of entries: a prompt of which what the agent works in and what others add go first
 * where the room is too small for all of it.
 */
export async function flatPrompt({
  input,
  entries,
  form,
  words,
  forbidsTools,
  mask,
  within,
}: {
  readonly input: SummaryInput;
  readonly entries: readonly string[];
  readonly form: Extract<PromptForm, 'record' | 'piece'>;
  readonly words: number;
  readonly forbidsTools: boolean;
  readonly mask: Mask;
  /** What it may have, what the entries are known to come to, and how many tokens of a model one of ours makes. */
  readonly within?: { readonly room: number; readonly told: number; readonly factor: number };
}): Promise<FlatPrompt> {
  const isWhole = form === 'record';
  const { focus, previous, instructions: instead } = input;
  const instructions = mask(
    instructionsFor({
      ...{ form, words, forbidsTools, focus, instead },
      isUpdate: isWhole && previous !== undefined,
    }),
  );
  const beside = isWhole ? surroundings({ input, mask, withPrevious: true }) : [];
  const paragraph = (text: string) => `${text}\n\n`;
  const record = paragraph(between(tags.conversation, entries.join('\n')));
  const element = h(
    Fragment,
    null,
    h(SystemMessage, {}, role),
    h(
      UserMessage,
      {},
      h(Chunk, {}, record),
      // The last said is the first to go: what hooks add, then what the agent works in, then the earlier summary.
      ...beside.map((text, place) => h(Chunk, { priority: beside.length - place }, paragraph(text))),
      h(Chunk, {}, instructions),
    ),
  );
  const { room, told, factor } = within ?? { room: Number.MAX_SAFE_INTEGER, told: 0, factor: 0 };
  // The record was counted in turns with others, and may be long: to count it at once would stall them.
  const count = (text: string) => (text === record ? told : tokensFor({ text, factor }));
  const { messages } = await render({ element, budget: room, tokenizer: createPromptTokenizer({ count }) });
  const [system = '', prompt = ''] = toMessages(messages).map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  // Pruning may take parts without a priority last; a request without the record or the instructions is none.
  if (prompt.length < record.length + instructions.length) {
    const excess = Math.max(1, tokensFor({ text: record + instructions, factor }) - room);
    throw new BudgetExceededError({ part: 'The record to summarize', excess, limit: room });
  }
  return { system, prompt };
}

/** What a request says beside its entries. */
function besideSize({
  flat: { system, prompt },
  entries,
  voice,
}: {
  readonly flat: FlatPrompt;
  readonly entries: readonly string[];
  readonly voice: Pick<SummaryBackend, 'factor'>;
}): number {
  const record = entries.reduce((sum, entry) => sum + entry.length + 1, 0);
  return tokensFor({ text: `${system}\n${prompt.slice(record)}`, ...voice });
}

/** Where nothing can go and it does not fit, there is none. */
function exceeded(error: unknown): undefined {
  if (!(error instanceof BudgetExceededError)) throw error;
}
