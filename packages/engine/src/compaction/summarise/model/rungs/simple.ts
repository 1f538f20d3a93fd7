import type { Mask } from '../../../secrets/mask.ts';
import type { SummaryInput } from '../../summariser.ts';
import { accept } from '../accept.ts';
import { recordOf } from '../flat/record.ts';
import type { Rung } from '../job.ts';
import { type Form, instructionsFor } from '../prompts/instructions.ts';
import { role } from '../prompts/role.ts';
import { surroundings } from '../prompts/surroundings.ts';
import { between, tags } from '../prompts/tags.ts';
import { tokensFor } from '../size.ts';
import type { Voice } from '../voice.ts';

/** A request that is one text. */
export interface Flat {
  readonly system: string;
  readonly prompt: string;
}

/** The record as one text, from the earlier summary on: no structure that a provider could reject. */
export const simple: Rung = async (job) => {
  const { voice, tries, input, hasOther } = job;
  const flat = flatFor({ ...job, entries: await recordOf(job), form: 'record', forbidsTools: voice.forbidsTools });
  const size = flatSize({ flat, voice });
  if (size > job.room) {
    const why = `It would come to ${size} tokens, and ${voice.name} takes ${job.room}.`;
    return tries.skip({ rung: 'simple', voice, refusal: 'too-large', why });
  }
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

export function flatSize({ flat, voice }: { readonly flat: Flat; readonly voice: Pick<Voice, 'factor'> }): number {
  return tokensFor({ text: flat.system, ...voice }) + tokensFor({ text: flat.prompt, ...voice });
}
