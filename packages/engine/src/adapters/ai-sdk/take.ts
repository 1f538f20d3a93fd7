import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { CompactionSignal, ModelEvent } from '../../models/index.ts';
import { isCompaction, mergeMetadata, type Piece } from './proof.ts';

const compacted: CompactionSignal = { kind: 'compaction', name: 'compaction', value: null };

/** What was said so far, in order; a text and a piece of reasoning grow under their ids. */
type Pieces = Map<string, Piece>;

/** Takes a part of the stream in, and says what is new. */
export function* take({
  pieces,
  part,
}: {
  readonly pieces: Pieces;
  readonly part: LanguageModelV4StreamPart;
}): Generator<ModelEvent> {
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end': {
      const type = part.type.startsWith('text') ? 'text' : 'thinking';
      // Summaries of OpenAI come as parts `ITEM:0`, `ITEM:1` of one piece of reasoning.
      const key = `${type} ${type === 'text' ? part.id : part.id.split(':')[0]}`;
      const before = pieces.get(key);
      const isNext = part.type === 'reasoning-start' && before !== undefined && before.text !== '';
      const delta = `${isNext ? '\n\n' : ''}${'delta' in part ? part.delta : ''}`;
      const piece = {
        type,
        text: (before?.text ?? '') + delta,
        metadata: mergeMetadata(before?.metadata, part),
      } as const;
      pieces.set(key, piece);
      if (!isCompaction(piece)) {
        if (delta !== '') yield { type, delta };
      } else if (part.type === 'text-start') yield { type: 'provider_compaction', signal: compacted };
      return;
    }
    case 'tool-input-start':
      return yield { type: 'tool_call_start', id: part.id, name: part.toolName };
    case 'tool-input-delta':
      return yield { type: 'tool_call_delta', id: part.id, delta: part.delta };
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input: text } = part;
      pieces.set(`call ${id}`, { type: 'tool_call', id, name, text, metadata: mergeMetadata({}, part) });
      return yield { type: 'tool_call', call: { type: 'tool_call', origin: 'model', id, name, arguments: text } };
    }
    case 'custom': {
      const piece = { type: 'custom', text: '', metadata: mergeMetadata({}, part) } as const;
      pieces.set(`custom ${pieces.size}`, piece);
      if (isCompaction(piece)) yield { type: 'provider_compaction', signal: compacted };
    }
  }
}
