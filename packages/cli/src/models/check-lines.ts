import type { FailureKind, ModelFailure } from 'longhaul/models';
import { clip } from '../text/clip.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import type { Called } from './tiny-call.ts';

/** What to do about a failure, in one sentence. */
const advice: Readonly<Record<FailureKind, string>> = {
  auth: 'Check the key: `longhaul models` tells which variable it comes from.',
  quota: 'Add credit or raise the limit at the provider; waiting does not help.',
  rate: 'The provider has no room just now: try again later.',
  network: 'Check the address and the connection, then try again.',
  invalid: 'Check the name of the model: `longhaul models` lists those that are known.',
  overflow: 'The window is smaller than one sentence: check how the server was started.',
  refused: 'It answers, but a filter of the provider declined a harmless sentence: look at its settings there.',
  unknown: 'Look at what the provider says; with --debug more is told.',
};

/** Whether the name or the way to it is wrong, servers say alike. */
function adviceOn({ kind, status }: ModelFailure): string {
  return status === 404 ? 'Check the name of the model, and the base URL where you set one.' : advice[kind];
}

/** The shape is described in docs/cli.md. */
export function checkJson({ name, called }: { readonly name: string; readonly called: Called }): object {
  const { model, first, all, text, usage = null, cost = null, failure } = called;
  const { window, known } = model.info;
  return {
    ...{ model: name, answers: failure === undefined, dialect: model.dialect, window: known ? window : null },
    ms: { first: first ?? null, all },
    ...{ text, usage, cost },
    failure: failure ? { ...failure, next: adviceOn(failure) } : null,
  };
}

export function checkLines({
  name,
  called,
  paint,
}: {
  readonly name: string;
  readonly called: Called;
  readonly paint: Paint;
}): string[] {
  const { model, failure, text } = called;
  const shown = printable(name);
  if (failure) {
    const status = failure.status === undefined ? '' : ` (status ${failure.status})`;
    return [
      `${paint.bad(`${shown} does not answer`)}: ${printable(failure.message)}${status}`,
      `  ${adviceOn(failure)}`,
    ];
  }
  const window = model.info.known ? `a window of ${number(model.info.window)} tokens` : 'a window that is not known';
  return [
    `${paint.good(`${shown} answers`)}: ${JSON.stringify(clip({ text: printable(text), length: 60 }))}`,
    `  ${timesOf(called)}; ${usageOf(called)}; ${window}`,
  ];
}

function timesOf({ first, all }: Called): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return first === undefined ? seconds(all) : `${seconds(first)} to the first word, ${seconds(all)} in all`;
}

function usageOf({ usage, cost }: Called): string {
  if (!usage) return 'it reports no usage';
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const price = cost === undefined ? '' : `, $${cost.toFixed(6)}`;
  return `${number(prompt)} tokens in, ${number(usage.output)} out${price}`;
}
