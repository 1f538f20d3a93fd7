import type { EngineSession, TargetModel } from 'longhaul/engine';
import { dialects, type ToolDefinition } from 'longhaul/message';
import { modelOf, providerOf } from './model-of.ts';

/**
 * The model of a session with the window in use, and its tools. The window is the requested one, otherwise that of the
 * settings, otherwise that of the last request.
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
  /** `auto` means the session decides. */
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

/** The window of the newest request to this model, from its usage note. */
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
