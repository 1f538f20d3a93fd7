import type { Json } from '../../json.ts';
import type { ContentPart, Message, Part } from '../../message/index.ts';
import type { CustomMessageEntry, Draft } from '../../session/index.ts';

/** What an event of OpenHands is to the conversation, whichever version wrote it. */
export type Happening =
  /** Somebody spoke. */
  | { readonly kind: 'said'; readonly message: Message; readonly response?: string | undefined }
  /** The program told the model something that nobody said. */
  | { readonly kind: 'told'; readonly draft: Draft<CustomMessageEntry> }
  | Acted
  | Observed
  | Condensed
  /** A small fact that says nothing to the model. It may still count among the events of its view. */
  | { readonly kind: 'noted'; readonly name: string; readonly data: Json; readonly isInView?: true }
  /** Nothing to the model, and nothing worth keeping. It may still count among the events of its view. */
  | { readonly kind: 'left-out'; readonly what: string; readonly isInView?: true }
  | { readonly kind: 'unknown'; readonly name: string };

/** The model answered with calls. */
export interface Acted {
  readonly kind: 'acted';
  /** The model's response that this is, or is part of: several events may come from one. */
  readonly response: string | undefined;
  readonly parts: readonly Part[];
  /** Whether `parts` is all that the response said; otherwise the events that follow may add to it. */
  readonly isWhole: boolean;
  /** The call that this event is. */
  readonly call: string;
  readonly model?: string;
  /** In the shape of OpenAI's chat. */
  readonly usage?: Json | undefined;
}

/** What came of a call, or of a command that the user ran. */
export interface Observed {
  readonly kind: 'observed';
  readonly call: string | undefined;
  /** The event that caused it, where the call is not named. */
  readonly cause: string | undefined;
  readonly name?: string;
  readonly content: readonly ContentPart[];
  readonly isError?: true;
  /** What was in it that the model did not see. */
  readonly leftOut?: string;
}

/** Part of the history was forgotten, and maybe summarized. */
export interface Condensed {
  readonly kind: 'condensed';
  readonly forgets: (event: string) => boolean;
  readonly summary: string | undefined;
  /** How many events of the view stand before the summary; `undefined` where it is not shown. */
  readonly offset: number | undefined;
  /** Whether its summary takes the place of an earlier one or stands beside it. */
  readonly replaces: boolean;
  readonly details: Json;
}
