import type { Message } from '../message/index.ts';
import type { TargetModel } from '../models/index.ts';
import {
  type Calibration,
  type CountingRules,
  countingRules,
  createBackgroundTokenizer,
  createCalibration,
  createTokenizer,
  type Encoding,
  encodings,
  type Prior,
} from '../tokens/index.ts';

/** How the tokens of one model are counted: by which vocabulary, with which framing, and what its provider reported. */
export interface ModelAccounting {
  readonly count: (text: string) => number;
  readonly rules: CountingRules;
  readonly calibration: Calibration;
  /** The name of the vocabulary: counts by one say nothing about counts by another. */
  readonly vocabulary: Encoding | 'custom';
}

/** The accounting of every model that an engine's sessions use; sessions with the same model share its calibration. */
export interface TokenAccounting {
  /** Counts text where no model is known. */
  readonly count: (text: string) => number;
  /** Loads the vocabulary of a model. Until then it is counted by the usual one, with a wider bound. */
  load(model: TargetModel): Promise<void>;
  of(model: TargetModel): ModelAccounting;
  /**
   * Counts the long texts of messages in a worker, so that counting the messages does not stall the event loop. Nothing
   * happens where they are short, or where a tokenizer of the caller counts.
   */
  countAhead(input: { readonly model: TargetModel; readonly messages: readonly Message[] }): Promise<void>;
  /** By session and model, the handle of the newest usage entry that its calibration has learned from. */
  readonly learned: Map<string, number>;
}

/** cl100k_base makes a few more tokens of a text than o200k_base; the ratio depends on its language. */
const unloaded: Prior = { perToken: 1.06, perMessage: 0, margin: 0.25 };

/** Texts from this length on are counted ahead; in characters. */
const longText = 4_096;

/** With fewer characters in long texts, counting takes less time than a worker takes to start. */
const worthWorker = 400_000;

/**
 * Counts each model by its own vocabulary where that is public, and by o200k_base with a measured or a wide margin where
 * it is not. A tokenizer of the caller counts for all models.
 *
 * @example
 * const accounting = await createTokenAccounting({});
 * await accounting.load(model);
 * accounting.of(model).calibration.predict({ tokens: 1000, messages: 4 });
 */
export async function createTokenAccounting({
  tokenizer,
}: {
  readonly tokenizer?: { readonly count: (text: string) => number; readonly encoding?: string } | undefined;
}): Promise<TokenAccounting> {
  const fallback = tokenizer ?? (await createTokenizer('o200k_base'));
  const encoding = encodings.find((each) => each === fallback.encoding);
  const worker = encoding && createBackgroundTokenizer({ encoding });
  /** What was counted ahead last, by text. */
  const ahead = new Map<string, number>();
  const count = (text: string) => (text.length < longText ? undefined : ahead.get(text)) ?? fallback.count(text);
  let older: ((text: string) => number) | undefined;
  const calibrations = new Map<string, Calibration>();
  return { count, load, of, countAhead, learned: new Map() };

  async function load({ info }: TargetModel): Promise<void> {
    if (tokenizer || older || info.tokenizer.encoding !== 'cl100k_base') return;
    const loaded = await createTokenizer('cl100k_base');
    older = (text) => loaded.count(text);
  }

  async function countAhead({ model, messages }: Parameters<TokenAccounting['countAhead']>[0]): Promise<void> {
    ahead.clear();
    const isOlder = !tokenizer && model.info.tokenizer.encoding === 'cl100k_base';
    if (!worker || isOlder) return;
    const texts = new Set(messages.flatMap(longTexts));
    if (texts.values().reduce((sum, { length }) => sum + length, 0) < worthWorker) return;
    // What the worker refuses is counted where it is needed.
    const one = async (text: string) => void ahead.set(text, await worker.count({ text }));
    await Promise.allSettled(texts.values().map(one));
  }

  function of({ id, info, dialect }: TargetModel): ModelAccounting {
    const isOlder = !tokenizer && info.tokenizer.encoding === 'cl100k_base';
    const isLoaded = !isOlder || older !== undefined;
    const name = `${id.provider}/${id.name}${isLoaded ? '' : ' (vocabulary not loaded)'}`;
    const prior = isLoaded ? priorOf({ info, isCustom: tokenizer !== undefined }) : unloaded;
    const calibration = calibrations.get(name) ?? createCalibration(prior && { prior });
    calibrations.set(name, calibration);
    const rules = { ...countingRules[dialect], ...info.tokenizer.framing };
    const vocabulary = tokenizer ? 'custom' : isOlder && older ? 'cl100k_base' : 'o200k_base';
    return { count: isOlder ? (older ?? count) : count, rules, calibration, vocabulary };
  }
}

function priorOf({
  info,
  isCustom,
}: {
  readonly info: TargetModel['info'];
  readonly isCustom: boolean;
}): Prior | undefined {
  const { encoding, factor, margin } = info.tokenizer;
  // Factors relate to the public vocabularies; how a caller's tokenizer relates to the model's is not known.
  if (isCustom) return undefined;
  if (encoding !== 'unknown') return { perToken: factor ?? 1, perMessage: 0, margin: margin ?? 0.03 };
  return factor === undefined
    ? undefined
    : { perToken: factor, perMessage: 0, ...(margin !== undefined && { margin }) };
}

function longTexts({ parts }: Message): readonly string[] {
  const texts = parts.flatMap((part): readonly string[] => {
    if (part.type === 'text' || part.type === 'thinking') return [part.text];
    if (part.type === 'tool_call') return [part.arguments];
    return part.type === 'tool_result' ? part.content.flatMap((each) => (each.type === 'text' ? [each.text] : [])) : [];
  });
  return texts.filter(({ length }) => length >= longText);
}
