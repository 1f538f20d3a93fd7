import { z } from 'zod';
import { createMask } from '../engine/index.ts';
import { LonghaulError } from '../errors.ts';
import { type Entry, parseHandle, type SessionId, type SessionSummary, type Store } from '../session/index.ts';

/** Characters of one answer; longer texts have pages. */
export const pageLength = 12_000;

export const sessionInput = z
  .string()
  .max(200)
  .optional()
  .describe('Id of the session, or the first characters of it. The most recently used one by default.');

/** The sessions that a server shows, and its answers. */
export interface SessionView {
  /** The sessions in scope, most recently used first. */
  readonly visible: () => Promise<SessionSummary[]>;
  /** A session by id, start of its id or name; the most recently used one without. */
  readonly find: (wanted: string | undefined) => Promise<SessionSummary>;
  readonly entryAt: (input: { readonly session: SessionId; readonly handle: string }) => Promise<Entry>;
  readonly masked: (session: string, text: string) => string;
  readonly answer: (work: () => Promise<string>) => Promise<TextAnswer>;
}

interface TextAnswer {
  readonly [member: string]: unknown;
  readonly isError?: boolean;
  readonly content: { readonly type: 'text'; readonly text: string }[];
}

/** The sessions of a store that belong to a folder, or all of them. */
export function createSessionView({
  store,
  cwd,
  secrets,
  beforeCall,
}: {
  readonly store: Store;
  readonly cwd: string | undefined;
  readonly secrets: readonly string[];
  readonly beforeCall: () => Promise<void>;
}): SessionView {
  const visible = async () => await store.list({ sort: 'updated', ...(cwd !== undefined && { cwd }) });
  const masked = (session: string, text: string) => createMask({ values: secrets, salt: session })(text);
  return { visible, find, entryAt, masked, answer };

  /** Failures are answers that a model can read. */
  async function answer(work: () => Promise<string>) {
    await beforeCall().catch(() => undefined);
    try {
      return { content: [{ type: 'text' as const, text: await work() }] };
    } catch (error) {
      if (!LonghaulError.is(error)) throw error;
      return { isError: true, content: [{ type: 'text' as const, text: `${error.message} ${error.hint}` }] };
    }
  }

  async function find(wanted: string | undefined): Promise<SessionSummary> {
    const sessions = await visible();
    const found =
      wanted === undefined
        ? sessions.filter(({ header }) => header.owner === undefined).slice(0, 1)
        : sessions.filter(({ header, name }) => header.id.startsWith(wanted) || name === wanted);
    const [first, second] = found;
    if (first && !second) return first;
    throw new LonghaulError({
      code: second ? 'session-ambiguous' : 'session-missing',
      message: second
        ? `"${wanted}" matches ${found.length} sessions.`
        : wanted === undefined
          ? 'There is no session in this folder yet.'
          : `There is no session "${wanted}" in this folder.`,
      hint: 'Call `sessions` for the ids.',
    });
  }

  async function entryAt({
    session,
    handle,
  }: {
    readonly session: SessionId;
    readonly handle: string;
  }): Promise<Entry> {
    const { entry: number } = parseHandle(withSign(handle));
    const [entry] = await store.read({ session, query: { handles: [number] } });
    if (entry) return entry;
    const { last } = await store.head(session);
    throw new LonghaulError({
      code: 'entry-missing',
      message: `The session has no entry @${number}; its newest is @${last}.`,
      hint: 'Call `search` for handles.',
    });
  }
}

/** The first page of a text. */
export function paged(whole: string): string {
  return whole.length > pageLength ? `${whole.slice(0, pageLength)}\n[the rest is left out]` : whole;
}

/** A handle with `@`. */
export function withSign(handle: string): string {
  return handle.startsWith('@') ? handle : `@${handle}`;
}
