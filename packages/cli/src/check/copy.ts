import { LonghaulError } from 'longhaul';
import { type ConversationDocument, check, type Dialect, type Json, type Repair, repair } from 'longhaul/message';
import type { Io } from '../io/io.ts';
import { checkDestination } from '../output/destination.ts';
import { writeWhole } from '../output/write-whole.ts';
import { inFileOrder } from './positions.ts';
import { rulesOf } from './rules-of.ts';

/** A repaired copy: the repairs, and the document itself or the file it was written to. */
export interface Copy {
  readonly repairs: readonly Repair[];
  readonly repaired?: Json;
  readonly output?: string;
}

/**
 * Makes a valid copy of a conversation in the provider's dialect. The input is not modified, and nothing is written
 * unless the copy is valid.
 *
 * @example
 * const { repaired } = await makeCopy({ io, document, provider: 'gemini', name: 'a.json', path, force: false });
 */
export async function makeCopy({
  io,
  document,
  provider,
  name,
  path,
  output,
  force,
}: {
  readonly io: Io;
  readonly document: ConversationDocument;
  readonly provider: Dialect;
  readonly name: string;
  /** The absolute path of the input; `undefined` for standard input. */
  readonly path: string | undefined;
  /** The output file as given; if absent, the copy is returned. */
  readonly output: string | undefined;
  readonly force: boolean;
}): Promise<Copy> {
  const toFile = output !== undefined && output !== '-';
  const destination = toFile ? await checkDestination({ io, output, input: path, force }) : undefined;
  const { repairs, repaired } = legalCopy({ document, provider, name });
  if (!destination) return { repairs, repaired };
  await writeWhole({ io, ...destination, text: fileText({ value: repaired, name: destination.name }) });
  return { repairs, output: destination.name };
}

/**
 * Whether `makeCopy` could make a valid copy.
 *
 * @example
 * if (canRepair({ document, provider: 'gemini' })) advise('--repair');
 */
export function canRepair(input: { readonly document: ConversationDocument; readonly provider: Dialect }): boolean {
  try {
    legalCopy({ ...input, name: '' });
    return true;
  } catch (error) {
    if (LonghaulError.is(error)) return false;
    throw error;
  }
}

function legalCopy({
  document,
  provider,
  name,
}: {
  readonly document: ConversationDocument;
  readonly provider: Dialect;
  readonly name: string;
}): { readonly repairs: readonly Repair[]; readonly repaired: Json } {
  const rules = rulesOf({ document, provider });
  const { messages, repairs: made } = repair(document.conversation.messages, provider, rules);
  const repairs = inFileOrder({ document, items: made });
  const [left] = check(messages, provider, rules);
  if (left) {
    throw new LonghaulError({
      code: 'not-repairable',
      message: `${name} cannot be made valid for ${provider}: ${left.message}`,
      hint: 'Nothing was written. Correct it by hand and try again.',
    });
  }
  const repaired = document.write({ conversation: { ...document.conversation, messages }, dialect: provider });
  return { repairs, repaired };
}

/** JSONL if the file name says so, otherwise indented JSON. */
function fileText({ value, name }: { readonly value: Json; readonly name: string }): string {
  if (!/\.(jsonl|ndjson)$/i.test(name)) return `${JSON.stringify(value, undefined, 2)}\n`;
  const lines = Array.isArray(value) ? value : [value];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}
