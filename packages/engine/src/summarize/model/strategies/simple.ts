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
import { instructionsFor, type PromptForm } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { surroundings } from '../prompts/surroundings.ts';
import { between, tags } from '../prompts/tags.ts';
import { tokensFor, tokensOfAll } from '../size.ts';
import { tooLarge } from './live.ts';

/** A request as plain text. */
export interface FlatPrompt {
  readonly system: string;
  readonly prompt: string;
}

/** The items since the earlier summary as one text, without structure that a provider could reject. */
export const simple: SummaryStrategy = async (job) => {
  const { backend, runner, input, hasAlternative, inputLimit: room } = job;
  const entries = await (await job.record()).entries({ detail: 1 });
  const recordTokens = await tokensOfAll({ texts: entries, factor: backend.factor, most: room });
  if (recordTokens > room) return tooLarge({ job, strategy: 'simple' });
  const { factor, forbidsTools } = backend;
  const within = { room, recordTokens, factor };
  const flat = await flatPrompt({ ...job, entries, form: 'record', forbidsTools, within }).catch(exceeded);
  if (!flat) return tooLarge({ job, strategy: 'simple' });
  const size = recordTokens + overheadOf({ flat, entries, backend });
  if (size > room) return tooLarge({ job, strategy: 'simple' });
  return await runner.ask({
    strategy: 'simple',
    backend,
    hasAlternative,
    call: (signal) => backend.ask({ ...flat, signal }),
    check: (reply) =>
      accept({ ...job, reply, format: backend.model ? 'open' : 'any', given: size, most: input.budget }),
  });
};

/**
 * The text of a summary request. If it does not fit, a hook's context is dropped first, then the working state, then the
 * earlier summary.
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
  /** The maximum tokens, the tokens of the entries as counted, and the factor from our estimates to the model's tokens. */
  readonly within?: { readonly room: number; readonly recordTokens: number; readonly factor: number };
}): Promise<FlatPrompt> {
  const isWhole = form === 'record';
  const { focus, previous, instructions: instead } = input;
  const instructions = mask(
    instructionsFor({
      form,
      words,
      forbidsTools,
      focus,
      instead,
      isUpdate: isWhole && previous !== undefined,
    }),
  );
  const extras = isWhole ? surroundings({ input, mask, withPrevious: true }) : [];
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
      // The last is pruned first: a hook's context, then the working state, then the earlier summary.
      ...extras.map((text, index) => h(Chunk, { priority: extras.length - index }, paragraph(text))),
      h(Chunk, {}, instructions),
    ),
  );
  const { room, recordTokens, factor } = within ?? { room: Number.MAX_SAFE_INTEGER, recordTokens: 0, factor: 0 };
  // The record was counted before, yielding to the event loop; counting it here at once would block.
  const count = (text: string) => (text === record ? recordTokens : tokensFor({ text, factor }));
  const { messages } = await render({ element, budget: room, tokenizer: createPromptTokenizer({ count }) });
  const [system = '', prompt = ''] = toMessages(messages).map(({ parts }) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );
  // Pruning may finally remove parts without a priority; a request needs both the record and the instructions.
  if (prompt.length < record.length + instructions.length) {
    const excess = Math.max(1, tokensFor({ text: record + instructions, factor }) - room);
    throw new BudgetExceededError({ part: 'The record to summarize', excess, limit: room });
  }
  return { system, prompt };
}

/** The tokens of a request without its entries. */
function overheadOf({
  flat: { system, prompt },
  entries,
  backend,
}: {
  readonly flat: FlatPrompt;
  readonly entries: readonly string[];
  readonly backend: Pick<SummaryBackend, 'factor'>;
}): number {
  const record = entries.reduce((sum, entry) => sum + entry.length + 1, 0);
  return tokensFor({ text: `${system}\n${prompt.slice(record)}`, ...backend });
}

/** A prompt that cannot be pruned to fit is skipped. */
function exceeded(error: unknown): undefined {
  if (!(error instanceof BudgetExceededError)) throw error;
}
