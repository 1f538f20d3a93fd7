import { isObject, parseJson } from '../../json.ts';
import type { ContentPart, MediaSource, Part } from '../../message/index.ts';
import type { PagePart } from './shape.ts';

/** Which call a result belongs to. */
export interface Calls {
  readonly get: (id: string) => { readonly name: string; readonly handle: number } | undefined;
}

/**
 * The parts of a message for the page. One part can become several: a result with an image in it.
 *
 * @example
 * const parts = pageParts({ parts: entry.message.parts, calls });
 */
export function pageParts({ parts, calls }: { readonly parts: readonly Part[]; readonly calls: Calls }): PagePart[] {
  return parts.flatMap((part): PagePart[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', who: part.origin, text: part.text }];
      case 'thinking':
        return [{ type: 'thinking', text: part.text === '' ? '(only its provider can read it)' : part.text }];
      case 'tool_call':
        return [{ type: 'call', name: part.name, text: indented(part.arguments) }];
      case 'tool_result': {
        const call = calls.get(part.callId);
        const texts = part.content.flatMap((inner) => textOf(inner) ?? []);
        return [
          {
            type: 'result',
            name: part.name ?? call?.name ?? 'tool',
            text: texts.join('\n'),
            isError: part.isError === true,
            ...(call && { call: call.handle }),
          },
          ...part.content.flatMap(imageOf),
        ];
      }
      default: {
        const text = textOf(part);
        return text === undefined ? imageOf(part) : [{ type: 'text', who: part.origin, text }];
      }
    }
  });
}

function textOf(part: ContentPart): string | undefined {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
      return isShown(part.source) ? undefined : `[image ${nameOf(part.source)}]`;
    case 'document':
      return part.source.kind === 'text' ? part.source.text : `[document ${part.name ?? nameOf(part.source)}]`;
    case 'opaque':
      return `[${part.kind}]`;
  }
}

function imageOf(part: ContentPart): PagePart[] {
  if (part.type !== 'image' || !isShown(part.source)) return [];
  const { mediaType, data } = part.source;
  return [{ type: 'image', source: `data:${mediaType};base64,${data}` }];
}

/** The page loads nothing, so it shows the images that it has. */
function isShown(source: MediaSource): source is MediaSource & { kind: 'base64' } {
  return source.kind === 'base64' && /^image\/[\w.+-]+$/.test(source.mediaType);
}

function nameOf(source: MediaSource): string {
  if (source.kind === 'url') return source.url;
  return source.kind === 'file' ? source.id : source.kind === 'base64' ? source.mediaType : '';
}

/** Arguments for eyes; what is no object stays as it was written. */
function indented(text: string): string {
  const value = parseJson(text);
  return isObject(value) ? JSON.stringify(value, undefined, 2) : text;
}
