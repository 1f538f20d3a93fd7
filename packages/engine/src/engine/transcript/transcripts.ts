import type { Session } from '../../session/index.ts';
import type { SummaryInput } from '../../summarize/index.ts';
import { timedOut, withTimeout } from '../../time.ts';
import { followTranscript, type Transcript } from './follow.ts';

/** The optional transcript of a session. */
export interface Transcripts {
  /** The file, where one is written. */
  readonly path: string | undefined;
  follow(input: { readonly file: string }): Promise<Transcript>;
  /** What a summary may name of it now; nothing where none is written. */
  place(): Promise<NonNullable<SummaryInput['transcript']>> | undefined;
}

/** A disk that answers later than this is not waited for. */
const flushTimeout = 500;

/**
 * Holds the transcript that summaries name: the one that was requested last, until it is closed.
 *
 * @example
 * const transcripts = createTranscripts({ session });
 * await transcripts.follow({ file: '/repo/session.jsonl' });
 */
export function createTranscripts({
  session,
  secrets = [],
}: {
  readonly session: Session;
  readonly secrets?: readonly string[];
}): Transcripts {
  let current: Transcript | undefined;
  return {
    get path() {
      return current?.state.path;
    },
    async follow({ file }) {
      const transcript = await followTranscript({ session, file, secrets });
      const followed: Transcript = {
        get state() {
          return transcript.state;
        },
        flush: transcript.flush,
        close() {
          if (current === followed) current = undefined;
          return transcript.close();
        },
      };
      current = followed;
      return followed;
    },
    place: () => current && placeIn(current),
  };
}

async function placeIn({ state, flush }: Transcript): Promise<{ readonly path: string; readonly lines: number }> {
  const { path, lines } = await soon({ work: flush(), otherwise: state });
  return { path, lines };
}

/** No turn waits for a disk: what is in the file is named, whatever is still on its way there. */
async function soon<T>({ work, otherwise }: { readonly work: Promise<T>; readonly otherwise: T }): Promise<T> {
  const result = await withTimeout({ work: () => work, timeout: flushTimeout, keepAlive: true });
  return result === timedOut ? otherwise : result;
}
