import type { TargetModel } from 'longhaul/compaction';
import { dialects, type ToolDefinition } from 'longhaul/message';
import { conversationOf, type Session } from 'longhaul/session';
import { modelOf, providerOf } from './model-of.ts';

/**
 * The model that a session speaks to, in the window that was asked for, and the tools it is offered.
 *
 * @example
 * const { model, tools } = await targetOf({ live, provider: values.provider, window: 32_000 });
 */
export async function targetOf({
  live,
  provider,
  window,
}: {
  readonly live: Session;
  /** As the setting has it; what is no provider is told by the session itself. */
  readonly provider: string;
  readonly window: number | undefined;
}): Promise<{ readonly model: TargetModel; readonly tools: readonly ToolDefinition[] }> {
  const { inputLimit, ...info } = await modelOf(live);
  const dialect = dialects.find((name) => name === provider) ?? providerOf({ live, model: info });
  const limit = window === undefined && inputLimit !== undefined ? { inputLimit } : {};
  const id = { provider: info.provider ?? 'unknown', name: info.name };
  const model = { id, dialect, info: { ...info, ...limit, window: window ?? info.window } };
  return { model, tools: conversationOf(live).tools };
}
