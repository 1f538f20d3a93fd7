import { element } from '../../../page/browser/dom.ts';

/** Copies a text, and says so for a moment. */
export async function copy(text: string): Promise<void> {
  const isDone = await write(text);
  showNote(isDone ? 'Copied' : 'The browser does not let a page copy');
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return writeByHand(text);
  }
}

/** Where a file is no place that a browser trusts. */
function writeByHand(text: string): boolean {
  const area = element('textarea', { class: 'offscreen' });
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  return isDone;
}

function showNote(words: string): void {
  const note = element('div', { class: 'toast', aria: { role: 'status' } }, words);
  document.body.append(note);
  setTimeout(() => note.remove(), 1400);
}
