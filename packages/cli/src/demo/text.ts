import type { Message } from 'longhaul/message';
import { placeLines } from '../check/place-lines.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { columns } from '../text/table.ts';
import type { Conversion, Demo } from './demo.ts';
import { meterLines } from './meter.ts';

const indent = '   ';

/** The demo on one screen. */
export function demoText({ demo, paint }: { readonly demo: Demo; readonly paint: Paint }): string {
  const { conversation, dialect, conversions, accidents, problems, repairs, legalFor } = demo;
  const { messages } = conversation;
  const found = count({ amount: problems.length, of: 'problem' });
  const lines = [
    paint.strong(
      `1. A person and an agent, ${count({ amount: messages.length, of: 'message' })} as ${dialect} writes them`,
    ),
    ...columns({ rows: messages.map((message) => [message.role, gist({ message })]), indent }),
    '',
    paint.strong('2. The same in the words of each provider, written, read back and compared'),
    ...columns({ rows: conversions.map((conversion) => conversionRow({ conversion, paint })), indent }),
    '',
    paint.strong('3. Then it breaks, as histories do'),
    ...accidents.map((accident) => `${indent}- ${accident}`),
    `${indent}check: ${paint.bad(`not legal for ${dialect}`)}, ${found}`,
    ...placeLines({ items: problems, paint, indent: `${indent}  ` }),
    '',
    paint.strong(`4. Repaired for ${dialect}: what has no partner goes, a missing result is marked as missing`),
    ...placeLines({ items: repairs, paint, indent: `${indent}  ` }),
    `${indent}repaired by the rules of each: ${paint.good(`legal for ${legalFor.join(', ')}`)}`,
    '',
    paint.strong('5. How full a small window is, by the one ledger: each message counted once, with a bound'),
    ...meterLines({ snapshot: demo.meter, paint }).map((line) => `${indent}${line}`),
    '',
    `Now your own: ${paint.strong('longhaul check FILE')}. Everything else: ${paint.strong('longhaul --help')}.`,
  ];
  return `${lines.join('\n')}\n`;
}

function conversionRow({ conversion, paint }: { readonly conversion: Conversion; readonly paint: Paint }): string[] {
  const { dialect, items, bytes, same } = conversion;
  return [
    dialect,
    count({ amount: items, of: 'item' }).padStart(8),
    count({ amount: bytes, of: 'byte' }).padStart(10),
    same ? paint.good('says the same') : paint.bad('does not say the same'),
  ];
}

/** A message in a few words. */
function gist({ message }: { readonly message: Message }): string {
  const words = message.parts.map((part) => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'thinking':
        return '(thinks)';
      case 'tool_call':
        return `[${part.name} ${part.id}]`;
      case 'tool_result':
        return `[result of ${part.callId}]`;
      default:
        return `[${part.type}]`;
    }
  });
  return words.join(' ');
}
