import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { ContentPart, Origin } from '../../message/index.ts';
import { readTime } from '../time.ts';

/** A line of the log: one thing that happened. */
export interface CopilotEvent {
  /** `user.message`, `tool.execution_complete`, … */
  readonly kind: string;
  readonly data: JsonObject;
  readonly id: string;
  /** Milliseconds. */
  readonly at: number | undefined;
  /** The sub-agent that it happened to; `undefined` for the main conversation. */
  readonly agent: string | undefined;
}

/** Whether a record is an event of the Copilot CLI or of a transcript of VS Code, and of nothing else. */
export function isCopilotEvent(value: JsonObject): boolean {
  const isNamed = typeof value.type === 'string' && kindPattern.test(value.type);
  return isNamed && isObject(value.data) && typeof value.id === 'string' && typeof value.timestamp === 'string';
}

const kindPattern = /^(?:abort|[a-z_]+(?:\.[a-z_]+)+)$/;

/** What a record says, or `undefined` where it is no event. */
export function readEvent(value: JsonObject): CopilotEvent | undefined {
  const { type, data, id, agentId } = value;
  if (typeof type !== 'string' || !isObject(data)) return undefined;
  // Before events named their agent, those of a sub-agent named the call that had started it.
  const agent = typeof agentId === 'string' ? agentId : data.parentToolCallId;
  return {
    kind: type,
    data,
    id: typeof id === 'string' ? id : '',
    at: readTime(value.timestamp),
    agent: typeof agent === 'string' && agent !== '' ? agent : undefined,
  };
}

/** The id of a call without the suffix that VS Code adds inside, and forgets to take off when it replays a session. */
export function callIdOf(written: Json | undefined): string | undefined {
  return typeof written === 'string' && written !== '' ? written.replace(/__vscode-\d+$/, '') : undefined;
}

/** Pictures that events name instead of holding them. */
export interface Assets {
  readonly remember: (data: JsonObject) => void;
  /** The images in a list of binary results or attachments; what is no image, or is not there any more, is left out. */
  readonly images: (of: { readonly list: readonly Json[]; readonly origin: Origin }) => ContentPart[];
}

/** An asset is logged right before what names it: the newest are enough, however many a session has. */
const mostBytes = 32 * 1024 * 1024;

export function createAssets(): Assets {
  const held = new Map<string, { readonly data: string; readonly mediaType: string }>();
  let bytes = 0;
  return {
    remember({ assetId, data, mimeType }) {
      if (typeof assetId !== 'string' || typeof data !== 'string' || typeof mimeType !== 'string') return;
      if (held.has(assetId)) return;
      held.set(assetId, { data, mediaType: mimeType });
      bytes += data.length;
      for (const [oldest, asset] of held) {
        if (bytes <= mostBytes) break;
        held.delete(oldest);
        bytes -= asset.data.length;
      }
    },
    images: ({ list, origin }) =>
      list.filter(isObject).flatMap((item): readonly ContentPart[] => {
        const { data, mimeType: mediaType, assetId } = item;
        const inline = typeof data === 'string' && typeof mediaType === 'string' ? { data, mediaType } : undefined;
        const asset = inline ?? (typeof assetId === 'string' ? held.get(assetId) : undefined);
        if (!asset?.mediaType.startsWith('image/')) return [];
        return [{ type: 'image', origin, source: { kind: 'base64', ...asset } }];
      }),
  };
}
