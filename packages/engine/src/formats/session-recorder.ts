import type { Json } from '../json.ts';
import type { Draft, Entry, EntryId, EpochEntry, ModelName } from '../session/index.ts';
import { codecVersion } from '../session/internal.ts';
import { digestOf } from './ids.ts';
import type { LogBuilder } from './log-builder.ts';

/** The position of a conversation, and the settings in force there. */
export interface RecorderState {
  readonly leaf: EntryId | null;
  /** The entry of the system prompt. */
  readonly head?: EntryId;
  /** A hash of it: the text itself may be long, and would be remembered for every place. */
  readonly prompt?: string;
  readonly model?: ModelName;
  readonly effort?: string;
}

/** Records a conversation that is reported event by event. */
export interface SessionRecorder {
  readonly state: RecorderState;
  /** Appends one entry at `at`, and answers its id. */
  readonly append: (draft: Draft) => Generator<Entry, EntryId>;
  /** The time of what is put from now on. */
  at: number;
  /** The model, and how hard it thinks, from here on: an entry for each that is another than before. */
  readonly setModel: (to: { readonly name: Json | undefined; readonly effort: Json | undefined }) => Generator<Entry>;
  /** The system prompt from here on, in the place of the one before. `false` where it is no other. */
  readonly setSystemPrompt: (text: Json | undefined) => Generator<Entry, boolean>;
  /** Goes back to where the conversation stood: what came after it never was. */
  readonly rewind: (to: RecorderState) => Generator<Entry>;
}

/**
 * Agents say the model, the effort and the prompt again and again; a log says them where they change. A changed prompt is
 * logged whole, and one is sent: the new one takes the old one's place.
 *
 * @example
 * const scribe = createScribe({ weaver, provider: 'openai', at: createdAt });
 * yield* scribe.model({ name: 'gpt-5.4', effort: 'high' });
 */
export function createSessionRecorder({
  builder,
  provider,
  at,
}: {
  readonly builder: LogBuilder;
  readonly provider: string;
  readonly at: number;
}): SessionRecorder {
  let force: Omit<RecorderState, 'leaf'> = {};
  const recorder: SessionRecorder = {
    get state() {
      return { ...force, leaf: builder.leaf };
    },
    at,
    *append(draft) {
      let id = '';
      for (const entry of builder.append({ draft, at: recorder.at })) {
        yield entry;
        id = entry.id;
      }
      return id;
    },
    *setModel({ name, effort }) {
      if (typeof name === 'string' && name !== force.model?.name) {
        const model = { provider, name };
        force = { ...force, model };
        yield* recorder.append({ type: 'model_change', model });
      }
      if (typeof effort === 'string' && effort !== force.effort) {
        force = { ...force, effort };
        yield* recorder.append({ type: 'thinking_change', level: effort });
      }
    },
    *setSystemPrompt(text) {
      if (typeof text !== 'string' || text === '') return false;
      const { head: old } = force;
      const prompt = digestOf(text);
      if (prompt === force.prompt) return false;
      const parts = [{ type: 'text', origin: 'engine', text } as const];
      const head = yield* recorder.append({ type: 'message', message: { role: 'system', parts } });
      force = { ...force, head, prompt };
      if (old !== undefined) yield* recorder.append(headEpoch({ head, old }));
      return true;
    },
    *rewind({ leaf, ...before }) {
      force = before;
      yield* recorder.append({ type: 'leaf', target: leaf, reason: 'rewind' });
    },
  };
  return recorder;

  function headEpoch({ head, old }: { readonly head: EntryId; readonly old: EntryId }): Draft<EpochEntry> {
    const rest = builder.items().filter((item) => !('entry' in item) || (item.entry !== head && item.entry !== old));
    return { type: 'epoch', reason: 'head', items: { list: [{ entry: head }, ...rest] }, codec: codecVersion };
  }
}
