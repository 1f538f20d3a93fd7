import type { Mask } from '../../../secrets/mask.ts';
import type { SummaryInput } from '../../summariser.ts';
import { accept } from '../accept.ts';
import type { Rung } from '../job.ts';
import { type Form, instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { surroundings } from '../prompts/surroundings.ts';
import { between, tags } from '../prompts/tags.ts';
import { tokensFor, tokensOfAll } from '../size.ts';
import type { Voice } from '../voice.ts';
import { tooLarge } from './live.ts';

/** A request that is one text. */
export interface Flat {
  readonly system: string;
  readonly prompt: string;
}

/** The record as one text, from the earlier summary on: no structure that a provider could reject. */
export const simple: Rung = async (job) => {
  const { voice, tries, input, hasOther, room } = job;
  const entries = await (await job.record()).entries({ detail: 1 });
  const told = await tokensOfAll({ texts: entries, factor: voice.factor, most: room });
  if (told > room) return tooLarge({ job, rung: 'simple' });
  const flat = flatFor({ ...job, entries, form: 'record', forbidsTools: voice.forbidsTools });
  const size = told + besideSize({ flat, entries, voice });
  if (size > room) return tooLarge({ job, rung: 'simple' });
  return await tries.ask({
    ...{ rung: 'simple', voice, hasOther },
    call: (signal) => voice.ask({ ...flat, signal }),
    judge: (reply) => accept({ ...job, reply, manner: voice.model ? 'open' : 'any', given: size, most: input.budget }),
  });
};

/** The text of a request for the summary of entries. */
export function flatFor({
  input,
  entries,
  form,
  words,
  forbidsTools,
  mask,
}: {
  readonly input: SummaryInput;
  readonly entries: readonly string[];
  readonly form: Extract<Form, 'record' | 'piece'>;
  readonly words: number;
  readonly forbidsTools: boolean;
  readonly mask: Mask;
}): Flat {
  const isWhole = form === 'record';
  const { focus, previous, instructions: instead } = input;
  const instructions = instructionsFor({
    ...{ form, words, forbidsTools, focus, instead },
    isUpdate: isWhole && previous !== undefined,
  });
  const beside = isWhole ? surroundings({ input, mask, withPrevious: true }) : [];
  const record = between(tags.conversation, entries.join('\n'));
  return { system: role, prompt: [record, ...beside, mask(instructions)].join('\n\n') };
}

/** What a request says beside its entries. */
function besideSize({
  flat: { system, prompt },
  entries,
  voice,
}: {
  readonly flat: Flat;
  readonly entries: readonly string[];
  readonly voice: Pick<Voice, 'factor'>;
}): number {
  const record = entries.reduce((sum, entry) => sum + entry.length + 1, 0);
  return tokensFor({ text: `${system}\n${prompt.slice(record)}`, ...voice });
}
