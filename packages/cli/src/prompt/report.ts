import type { Raw } from 'longhaul/prompt';
import { count } from '../text/count.ts';
import { number } from '../text/number.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';
import type { RenderedPrompt } from './render-prompt.ts';

const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * A prompt as a person reads it: each message under its role, and what it all comes to.
 *
 * @example
 * await io.stdout.write(promptText({ rendered, budget: 8000, tokenizer: 'o200k_base', paint: paint('stdout') }));
 */
export function promptText({
  rendered,
  budget,
  tokenizer,
  paint,
}: {
  readonly rendered: RenderedPrompt;
  readonly budget: number;
  readonly tokenizer: string;
  readonly paint: Paint;
}): string {
  const { messages, tokens, steps = [] } = rendered;
  const removed = (steps as readonly { readonly removed?: number }[]).reduce(
    (sum, each) => sum + (each.removed ?? 0),
    0,
  );
  const told = [
    `${number(tokens)} of ${count({ amount: budget, of: 'token' })} (${tokenizer})`,
    count({ amount: messages.length, of: 'message' }),
    ...(removed > 0 ? [`${count({ amount: removed, of: 'node' })} pruned`] : []),
  ];
  const blocks = messages.map((message) => {
    const name = message.name ? ` ${message.name}` : '';
    const id = message.role === 3 ? ` ${message.toolCallId}` : '';
    const calls = message.role === 2 ? (message.toolCalls ?? []) : [];
    const lines = [
      paint.strong(printable(`${roles[message.role]}${name}${id}`)),
      ...message.content.map(partText).flatMap((text) => text.split('\n').map(printable)),
      ...calls.map(({ id: callId, function: called }) => printable(`-> ${called.name}(${called.arguments}) ${callId}`)),
    ];
    return lines.join('\n');
  });
  return `${[...blocks, paint.faint(told.join(', '))].join('\n\n')}\n`;
}

function partText(part: Raw.ChatCompletionContentPart): string {
  switch (part.type) {
    case 1:
      return part.text;
    case 0:
      return `[image ${part.imageUrl.url.slice(0, 60)}]`;
    case 4:
      return `[document ${part.documentData.mediaType}]`;
    case 3:
      return '[cache breakpoint]';
    default:
      return '[opaque value]';
  }
}
