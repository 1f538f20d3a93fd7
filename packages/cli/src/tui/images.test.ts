import { describe, expect, it } from 'vitest';
import { ImageLine, imageLines } from './images.ts';
import { MainScreen } from './index.ts';

/** A picture of 90 x 36 pixels; only its header is read. */
const data = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
  Buffer.from('IHDR'),
  Buffer.from([0, 0, 0, 90, 0, 0, 0, 36, 8, 0, 0, 0, 0]),
]).toString('base64');
const image = { mediaType: 'image/png', data };

/** The sequence that draws the image of these lines. */
const sequenceOf = (lines: ReturnType<typeof imageLines>) => {
  const last = lines.at(-1);
  return last instanceof ImageLine ? last.sequence : '';
};

describe('images', () => {
  it('are written in the bytes of kitty, over empty lines, with the cursor where it was', () => {
    const lines = imageLines({ image, protocol: 'kitty', width: 80, id: 7 });
    expect(lines.slice(0, -1)).toEqual(['']);
    expect(sequenceOf(lines)).toBe(
      `\u001b7\u001b[1A\u001b[2C\u001b_Ga=T,f=100,q=2,C=1,c=10,r=2,i=7;${data}\u001b\\\u001b8`,
    );
  });

  it('are written in the bytes of iTerm2', () => {
    const lines = imageLines({ image, protocol: 'iterm2', width: 80, id: 7 });
    expect(sequenceOf(lines)).toBe(
      `\u001b7\u001b[1A\u001b[2C\u001b]1337;File=inline=1;size=29;width=10;height=2:${data}\u0007\u001b8`,
    );
  });

  it('are no lines if the terminal draws none, or the data are not what they claim', () => {
    expect(imageLines({ image, protocol: undefined, width: 80, id: 7 })).toEqual([]);
    const hostile = { mediaType: 'image/png', data: `${data}\u0007\u001b]0;owned\u0007` };
    for (const protocol of ['kitty', 'iterm2'] as const)
      expect(imageLines({ image: hostile, protocol, width: 80, id: 7 })).toEqual([]);
    expect(imageLines({ image: { ...image, mediaType: 'image/jpeg' }, protocol: 'kitty', width: 80, id: 7 })).toEqual(
      [],
    );
  });

  it('pass the check of control sequences by their type: a text that begins like one does not', () => {
    let written = '';
    const screen = new MainScreen({
      columns: 80,
      rows: 24,
      reflow: 'wrap',
      write: (text) => {
        written += text;
      },
      ask: (texts) => {
        written += texts.join('');
        return Promise.resolve(undefined);
      },
    });
    const lines = imageLines({ image, protocol: 'kitty', width: 80, id: 7 });
    screen.draw({ lines: [...lines, '\u001b7\u001b[1A\u001b]0;owned\u0007\u001b[2J'], final: 0, bottom: ['> '] });
    expect(written).toContain(sequenceOf(lines));
    for (const sequence of ['\u001b]0;', '\u001b[2J', '\u0007']) expect(written).not.toContain(sequence);
  });
});
