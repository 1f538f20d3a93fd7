import type { EngineSession, TargetModel } from 'longhaul/engine';
import { dialects, type ToolDefinition } from 'longhaul/message';
import { modelOf, providerOf } from './model-of.ts';

/**
 * The model that a session is sent to, in the window that is in use, and the tools it is offered. The window is the one
 * that was asked for, else that of the settings, else the one that the last request was made for.
 *
 * @example
 * const { model, tools } = await targetOf({ session, settings: values, window: 32_000 });
 */
export async function targetOf({
  session,
  settings,
  window: asked,
}: {
  readonly session: EngineSession;
  /** A provider that is none of the known ones is decided by the session itself. */
  readonly settings: { readonly provider: string; readonly window?: number | undefined };
  readonly window: number | undefined;
}): Promise<{ readonly model: TargetModel; readonly tools: readonly ToolDefinition[] }> {
  const live = session.session;
  const { inputLimit, ...info } = await modelOf(live);
  const dialect = dialects.find((name) => name === settings.provider) ?? providerOf({ live, model: info });
  const id = { provider: info.provider ?? 'unknown', name: info.name };
  const window = asked ?? settings.window ?? (await windowInLog({ session, model: info.name }));
  const limit = window === undefined && inputLimit !== undefined ? { inputLimit } : {};
  const model = { id, dialect, info: { ...info, ...limit, window: window ?? info.window } };
  return { model, tools: await session.tools() };
}

/** The window that the newest request to this model was made for, as its usage note has it. */
async function windowInLog({
  session,
  model,
}: {
  readonly session: EngineSession;
  readonly model: string;
}): Promise<number | undefined> {
  const notes = await session.session.read({ types: ['usage'] });
  const windows = notes.flatMap((note) => {
    if (note.type !== 'usage' || note.model?.name !== model) return [];
    const details = note.details;
    const isOurs = typeof details === 'object' && details !== null && !Array.isArray(details);
    const window = isOurs && 'window' in details ? details.window : undefined;
    return typeof window === 'number' ? [window] : [];
  });
  return windows.at(-1);
}
