import type { Message } from '../../message/index.ts';

/** Shorter quotations may match by chance. */
const minLength = 12;

/** Whether a quotation is a whole message or whole sentences; half a sentence can reverse the meaning. */
export function isQuotedFrom({ quote, said }: { readonly quote: string; readonly said: readonly string[] }): boolean {
  return said.some((text) => {
    if (text.trim() === quote) return true;
    if (quote.trim().length < minLength) return false;
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
      if (isWhole({ before: text.slice(0, at), quote, after: text.slice(at + quote.length) })) return true;
    }
    return false;
  });
}

function isWhole(of: { readonly before: string; readonly quote: string; readonly after: string }): boolean {
  const begins = /(?:^|[.!?。！？][)"”]?\s|\n)\s*(?:[-*•]\s+|\d+[.)]\s+)?$/.test(of.before.slice(-200));
  return (
    begins &&
    (/[.!?。！？]$/.test(of.quote)
      ? /^(?:\s|["”)]|$)/.test(of.after)
      : /^\s*(?:[.!?。！？](?:\s|$)|\n|$)/.test(of.after))
  );
}

/** The texts that people wrote. */
export function humanTexts(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' && part.origin === 'human' ? [part.text] : [])),
  );
}
