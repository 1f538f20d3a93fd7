import type { Part } from '../../../message/index.ts';

/** Shorter texts cost no more than a reference to them. */
const shortest = { program: 120, result: 400 };

const reminder = /<system-reminder>[\s\S]{0,20000}?<\/system-reminder>/g;

/** So much of a reminder says what it is about. */
const reminderChars = 300;

/**
 * Shortens what clients put into a conversation again and again, and what was read again unchanged: the first time it
 * stands there, then only where that was. Lists of skills become their names.
 *
 * @example
 * const shorten = createBoilerplate();
 * const parts = item.message.parts.map((part) => shorten({ part, handle: item.handle }));
 */
export function createBoilerplate(): (of: { readonly part: Part; readonly handle: number }) => Part {
  const seen = new Map<string, number>();
  return ({ part, handle }) => {
    if (part.type === 'text' && part.origin === 'engine') return { ...part, text: programText(part.text, handle) };
    if (part.type === 'text') return { ...part, text: withoutReminders(part.text, handle) };
    if (part.type !== 'tool_result') return part;
    const content = part.content.map((inner) =>
      inner.type === 'text' ? { ...inner, text: resultText(inner.text, handle) } : inner,
    );
    return { ...part, content };
  };

  function programText(text: string, handle: number): string {
    const before = first({ text, handle, least: shortest.program });
    return before === undefined ? skillNames(withoutReminders(text, handle)) : `(the same text as in @${before})`;
  }

  function resultText(text: string, handle: number): string {
    const before = first({ text, handle, least: shortest.result });
    return before === undefined ? withoutReminders(text, handle) : `(unchanged: the same result as in @${before})`;
  }

  function withoutReminders(text: string, handle: number): string {
    if (!text.includes('<system-reminder>')) return text;
    return text.replace(reminder, (block) => {
      const before = first({ text: block, handle, least: 0 });
      if (before !== undefined && before !== handle) return `(the same reminder as in @${before})`;
      const short = skillNames(block);
      return short.length <= reminderChars ? short : `${short.slice(0, reminderChars).toWellFormed()}…`;
    });
  }

  /** Where the same stood before; numbers and times in it may differ. */
  function first({ text, handle, least }: { readonly text: string; readonly handle: number; readonly least: number }) {
    if (text.length < least) return undefined;
    const key = text.replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();
    const before = seen.get(key);
    if (before === undefined) seen.set(key, handle);
    return before;
  }
}

const skillLine = /^\s*[-*]\s+(?:\*\*)?`?([\w:./-]{2,80}?)`?(?:\*\*)?\s*:\s+\S.*$/;

/** A list of skills with their descriptions as their names. */
function skillNames(text: string): string {
  if (!/\bskills?\b/i.test(text.slice(0, 2_000))) return text;
  const lines = text.split('\n');
  const names = lines.flatMap((line) => skillLine.exec(line)?.[1] ?? []);
  if (names.length < 4) return text;
  const rest = lines.filter((line) => !skillLine.test(line) && line.trim() !== '');
  return [...rest, `(skills: ${names.join(', ')})`].join('\n');
}
