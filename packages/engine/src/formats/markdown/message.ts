import { isObject, parseJson } from '../../json.ts';
import type { ContentPart, Part } from '../../message/index.ts';
import { firstWords } from '../../session/internal.ts';
import { escaped, fenced, folded, plain, prose, quoted } from './text.ts';

/** How calls are named on their results. */
export type ToolNames = (callId: string) => string | undefined;

/**
 * The parts of a message, one block each: what people and models said as it is, all else folded away.
 *
 * @example
 * partBlocks({ parts: entry.message.parts, handle: '@12', nameOf }).join('\n\n');
 */
export function partBlocks({
  parts,
  handle,
  nameOf,
}: {
  readonly parts: readonly Part[];
  readonly handle: string;
  readonly nameOf: ToolNames;
}): string[] {
  return parts.map((part, index) => {
    const own = parts.length > 1 ? `${handle}.${index + 1}` : handle;
    switch (part.type) {
      case 'text':
        return textBlock({ text: part.text, origin: part.origin });
      case 'thinking':
        return part.text === ''
          ? folded({ title: 'thinking', body: '*Only the provider can read it.*' })
          : folded({ title: `thinking, ${linesOf(part.text)}`, body: quoted(prose({ text: part.text })) });
      case 'tool_call': {
        const gist = firstWords({ text: part.arguments, length: 80 });
        return folded({ title: `<b>${escaped(part.name)}</b> ${escaped(gist)}`, body: argumentsBlock(part.arguments) });
      }
      case 'tool_result': {
        const text = part.content.map(contentText).join('\n');
        const name = part.name ?? nameOf(part.callId) ?? 'a tool';
        const outcome = part.isError ? 'failed' : 'result';
        return folded({
          title: `${own} ${outcome} of <b>${escaped(name)}</b>, ${linesOf(text)}`,
          body: fenced({ text }),
        });
      }
      default:
        return contentText(part);
    }
  });
}

const titles: Partial<Record<Part['origin'], string>> = { tool: 'output', data: 'attached data' };

function textBlock({ text, origin }: { readonly text: string; readonly origin: Part['origin'] }): string {
  if (origin === 'human') return quoted(prose({ text, keepLines: true }));
  if (origin === 'model') return prose({ text });
  return folded({
    title: `${titles[origin] ?? 'put in by the agent'}, ${linesOf(text)}`,
    body: fenced({ text }),
  });
}

/** Indented where it is JSON. */
function argumentsBlock(text: string): string {
  const value = parseJson(text);
  return isObject(value) ? fenced({ text: JSON.stringify(value, undefined, 2), language: 'json' }) : fenced({ text });
}

function contentText(part: ContentPart | Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'document': {
      const { source } = part;
      if (source.kind === 'text') return source.text;
      if (source.kind === 'base64')
        return `[${part.type}, ${source.mediaType}, ${source.data.length} characters of base64]`;
      return `[${part.type}: ${plain(source.kind === 'url' ? source.url : source.id)}]`;
    }
    default:
      return `[${plain(part.type === 'opaque' ? part.kind : part.type)}]`;
  }
}

function linesOf(text: string): string {
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  return lines === 1 ? '1 line' : `${lines} lines`;
}
