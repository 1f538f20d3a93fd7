import type { Part } from '../../message/index.ts';
import type { Entry } from '../../session/index.ts';

/** About how large an entry is; exactness would cost a second serialisation. */
export function sizeOf(entry: Entry): number {
  if (entry.type !== 'message') return 200;
  return entry.message.parts.reduce((sum, part) => sum + partSize(part), 200);
}

function partSize(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'thinking':
      return part.text.length;
    case 'tool_call':
      return part.arguments.length;
    case 'tool_result':
      return part.content.reduce((sum, inner) => sum + partSize(inner), 0);
    case 'image':
    case 'document':
      return part.source.kind === 'base64' ? part.source.data.length : 100;
    default:
      return 1000;
  }
}
