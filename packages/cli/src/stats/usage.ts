import { cost, modelInfo } from 'longhaul/models';
import type { Entry, ModelName, UsageEntry } from 'longhaul/session';
import { z } from 'zod';

/** Usage reported by models. */
export interface UsageByPurpose {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelUsage extends ModelName {
  /** Calls that reported usage. */
  readonly calls: number;
  readonly usage: UsageByPurpose;
  /** `null` if the prices are unknown. */
  readonly dollars: number | null;
}

/** Sums up model usage and its cost at today's prices. */
export interface UsageTally {
  readonly take: (entry: Entry) => void;
  readonly counted: () => {
    readonly usage: UsageByPurpose;
    readonly models: readonly ModelUsage[];
    readonly dollars: number | null;
  };
}

export const noUsage: UsageByPurpose = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export function createUsageTally(): UsageTally {
  const models = new Map<string, ModelUsage>();
  let speaker: ModelName | undefined;
  return {
    take(entry) {
      if (entry.type === 'message') speaker = entry.by ?? speaker;
      if (entry.type === 'model_change') speaker = entry.model;
      // A note without a model refers to the last one used.
      if (entry.type === 'usage') add({ usage: entry.usage, model: entry.model ?? speaker });
      for (const attempt of attemptsIn(entry)) add(attempt);
    },
    counted() {
      const all = [...models.values()];
      const priced = all.flatMap(({ dollars }) => dollars ?? []);
      return {
        usage: all.map(({ usage }) => usage).reduce(plusUsage, noUsage),
        models: all.sort((a, b) => b.calls - a.calls),
        dollars: priced.length === 0 ? null : priced.reduce((a, b) => a + b),
      };
    },
  };

  function add({ usage, model, dollars }: BilledCall): void {
    const { provider, name } = model ?? { provider: 'unknown', name: 'unknown' };
    const key = `${provider}/${name}`;
    const known = models.get(key);
    const price = dollars ?? cost({ usage, info: modelInfo({ provider, name }) });
    models.set(key, {
      provider,
      name,
      calls: (known?.calls ?? 0) + 1,
      usage: plusUsage(known?.usage ?? noUsage, usage),
      dollars: price === undefined ? null : (known?.dollars ?? 0) + price,
    });
  }
}

/** A call with its usage; the price is recorded for summaries only. */
interface BilledCall {
  readonly usage: UsageEntry['usage'];
  readonly model: ModelName | undefined;
  readonly dollars?: number | undefined;
}

/** The requests for a summary: installed, of a branch, or of a job whose summary was not used. */
function attemptsIn(entry: Entry): BilledCall[] {
  const attempts =
    entry.type === 'summary_job'
      ? entry.attempts
      : entry.type === 'compaction' || entry.type === 'branch_summary'
        ? recordedAttempts().safeParse(entry.details).data?.attempts
        : undefined;
  if (attempts === undefined || attempts.length === 0) return [];
  return z
    .array(attempt())
    .catch([])
    .parse(attempts)
    .flatMap(({ usage, model = '', cost: dollars }) => {
      const [provider = 'unknown', ...name] = model.split('/');
      if (!usage) return [];
      return [{ usage, dollars, model: name.length > 0 ? { provider, name: name.join('/') } : undefined }];
    });
}

/** The schema of a recorded request; made when needed, since starting must be fast. */
function attempt() {
  const tokens = z.number().default(0);
  return z.looseObject({
    model: z.string().optional(),
    usage: z.looseObject({ input: tokens, output: tokens, cacheRead: tokens, cacheWrite: tokens }).optional(),
    cost: z.number().optional(),
  });
}

const recordedAttempts = () => z.looseObject({ attempts: z.array(z.looseObject({})) });

export function plusUsage(a: UsageByPurpose, b: UsageByPurpose): UsageByPurpose {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
