import { LonghaulError } from 'longhaul';
import { modelInfo, type TokenizerSpec } from 'longhaul/models';
import { createBackgroundTokenizer, createCalibration, type Encoding, type Estimate, encodings } from 'longhaul/tokens';
import { closest } from '../text/closest.ts';

/** A way to count, chosen by encoding or model. */
export interface Counting {
  /** Its label in the table, e.g. `o200k_base` or `estimated for claude-sonnet-4-5`. */
  readonly label: string;
  readonly encoding?: Encoding;
  readonly model?: string;
  /** The model's window; absent if no model was named or it is unknown. */
  readonly window?: number;
  readonly isExact: boolean;
  count(text: string): Promise<Estimate>;
  close(): Promise<void>;
}

/**
 * @example
 * const counting = chooseCounting({ encoding: 'o200k_base' });
 * await counting.count('Hello, world!'); // { tokens: 4, bound: 4 }
 * await counting.close();
 */
export function chooseCounting({
  encoding,
  model,
}: {
  readonly encoding?: string | undefined;
  readonly model?: string | undefined;
}): Counting {
  if (model === undefined) return exact(known(encoding ?? 'o200k_base'), {});
  if (encoding !== undefined) {
    throw new LonghaulError({
      code: 'bad-usage',
      message: '--encoding and --model cannot be used together.',
      hint: 'Omit one of them.',
    });
  }
  const info = modelInfo({ name: model });
  const facts = { model, ...(info.known && { window: info.window }) };
  const ofModel = encodings.find((name) => name === info.tokenizer.encoding);
  return ofModel ? exact(ofModel, facts) : estimated({ ...facts, model, tokenizer: info.tokenizer });
}

function known(encoding: string): Encoding {
  const found = encodings.find((name) => name === encoding);
  if (found) return found;
  const meant = closest({ word: encoding, candidates: encodings });
  throw new LonghaulError({
    code: 'unknown-encoding',
    message: `Unknown encoding "${encoding}".`,
    hint: meant ? `Did you mean ${meant}?` : `Use ${encodings.join(' or ')}, or --model for other models.`,
  });
}

function exact(encoding: Encoding, facts: { readonly model?: string; readonly window?: number }): Counting {
  const tokenizer = createBackgroundTokenizer({ encoding });
  return {
    ...facts,
    encoding,
    label: facts.model === undefined ? encoding : `${encoding}, ${facts.model}`,
    isExact: true,
    count: async (text) => {
      const tokens = await tokenizer.count({ text });
      return { tokens, bound: tokens };
    },
    close: tokenizer.close,
  };
}

function estimated({
  model,
  window,
  tokenizer: { factor, margin },
}: {
  readonly model: string;
  readonly window?: number;
  readonly tokenizer: TokenizerSpec;
}): Counting {
  const tokenizer = createBackgroundTokenizer({ encoding: 'o200k_base' });
  const prior =
    factor === undefined ? undefined : { perToken: factor, perMessage: 0, ...(margin !== undefined && { margin }) };
  const calibration = createCalibration(prior && { prior });
  return {
    model,
    ...(window !== undefined && { window }),
    label: `estimated for ${model}`,
    isExact: false,
    count: async (text) => calibration.predict({ tokens: await tokenizer.count({ text }), messages: 0 }),
    close: tokenizer.close,
  };
}
