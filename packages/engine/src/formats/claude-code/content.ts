import { isArray, isObject, type Json, type JsonObject } from '../../json.ts';
import { codecs, type Origin, type Part, type ToolResultPart } from '../../message/index.ts';
import { partsOfText } from './texts.ts';

/** The content of a `user` line: what tools returned, and what was said beside it. */
export interface UserContent {
  readonly results: readonly ToolResultPart[];
  readonly said: readonly Part[];
}

/**
 * Reads the content of a `user` line. `speaker` wrote what no client has marked as its own.
 *
 * @example
 * readUserContent({ content: 'Fix the build.', speaker: 'human' });
 */
export function readUserContent({
  content,
  speaker,
}: {
  readonly content: Json | undefined;
  readonly speaker: Origin;
}): UserContent {
  const parts = decode({ role: 'user', content });
  return {
    results: parts.filter((part) => part.type === 'tool_result'),
    said: parts.flatMap((part): readonly Part[] => {
      if (part.type === 'tool_result') return [];
      if (part.type === 'text') return partsOfText({ text: part.text, speaker });
      return [part.origin === 'human' ? { ...part, origin: speaker } : part];
    }),
  };
}

/**
 * Reads the content of an `assistant` line.
 *
 * @example
 * readAnswerContent([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.ts' } }]);
 */
export function readAnswerContent(content: Json | undefined): Part[] {
  return [...decode({ role: 'assistant', content })];
}

/** A block that is no block is kept as it is: the codec makes it opaque. */
function decode({ role, content }: { readonly role: string; readonly content: Json | undefined }): readonly Part[] {
  const list = isArray(content) || typeof content === 'string' ? content : content === undefined ? [] : [content];
  return codecs.anthropic.decode([{ role, content: list }])[0]?.parts ?? [];
}

/** All text of a content, such as that of a summary. */
export function textOfContent(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const texts = (isArray(content) ? content : []).map((block) => (isObject(block) ? block.text : undefined));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** The message of a line, whatever it is. */
export function messageOf(raw: JsonObject): JsonObject {
  return isObject(raw.message) ? raw.message : {};
}
