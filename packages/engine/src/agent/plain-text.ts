// biome-ignore-all lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.

/** Terminal sequences: colors, cursor moves, titles, links and device strings, in 7-bit and 8-bit form. */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]{0,2048}(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-OQ-WYZ`-~]/g;

/** A possible start of an incomplete sequence. */
const introducer = /\u001b|[\u0090\u0098\u009b\u009d-\u009f]/;

/** Text that a terminal overwrites: the line before a carriage return without a following newline. */
const overwritten = /(?<![^\n\r])[^\n\r]*(?<!\r)\r+(?=[^\n\r])/g;

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Characters that change the text direction, and tags that are invisible to people but read by models. */
const hidden = /[\u202a-\u202e\u2066-\u2069\u2028\u2029]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Replaces every control character except tab and newline by a visible one, so that terminals do not interpret it and
 * nothing is lost. The length stays the same.
 *
 * @example
 * visible('a\u001b[2Jb'); // 'a␛[2Jb'
 */
export function visible(text: string): string {
  return text.replace(controls, (control) => {
    const code = control.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/**
 * Text as a person would have seen it: without colors, titles, cursor moves and overwritten lines, and without
 * characters that a terminal interprets or only a model can see. Tool output passes through here before a model or a
 * person reads it.
 *
 * @example
 * plain('\u001b[31mred\u001b[0m\r\n'); // 'red\n'
 */
export function plain(text: string): string {
  if (!suspicious.test(text)) return text;
  const bare = text.replace(sequences, '').replaceAll('\r\n', '\n').replace(overwritten, '').replaceAll('\r', '\n');
  return visible(bare).replace(hidden, '\ufffd');
}

const suspicious = new RegExp(`${controls.source}|${hidden.source}`, 'u');

/** Longer sequences are treated as text, so that the buffer is bounded. */
const longestSequence = 4096;

/**
 * The same for chunked text: a sequence may span chunks. The buffer is bounded.
 *
 * @example
 * const stream = createPlainStream();
 * [stream.push('\u001b[3'), stream.push('1mred'), stream.end()].join(''); // 'red'
 */
export function createPlainStream(): { readonly push: (text: string) => string; readonly end: () => string } {
  let held = '';
  return {
    push(text) {
      const all = held + text;
      held = '';
      if (!suspicious.test(all)) return all;
      const bare = all.replace(sequences, '');
      const at = bare.search(introducer);
      const open = at >= 0 && bare.length - at <= longestSequence ? at : bare.endsWith('\r') ? bare.length - 1 : -1;
      if (open < 0) return plain(bare);
      held = bare.slice(open);
      return plain(bare.slice(0, open));
    },
    end() {
      const rest = plain(held);
      held = '';
      return rest;
    },
  };
}
