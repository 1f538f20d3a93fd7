import {
  detectCapabilities,
  encodeITerm2,
  encodeKitty,
  getImageDimensions,
  getNativeClipboard,
} from '@earendil-works/pi-tui';
import type { ImageSource } from '../interactive/index.ts';
import type { Io } from '../io/io.ts';

/** How a terminal draws images; `undefined` if it draws none. */
export type ImageProtocol = 'kitty' | 'iterm2' | undefined;

/**
 * A line that draws an image over the lines above it. Only `imageLines` makes such lines, so no text can pass for one: the
 * screen writes their sequences as they are.
 */
export class ImageLine {
  /** How many lines above it are drawn over. */
  readonly above: number;
  readonly sequence: string;

  constructor({ above, sequence }: { readonly above: number; readonly sequence: string }) {
    this.above = above;
    this.sequence = sequence;
  }
}

/** A line of the screen: text with styles, or an image. */
export type ScreenLine = string | ImageLine;

/** Cells that an image takes at most. */
const most = { columns: 60, rows: 12 };

/** Pixels of a cell, as good as it is known. */
const cell = { widthPx: 9, heightPx: 18 };

/** The protocol of the terminal of this process, by its environment variables. Inside of tmux images do not work. */
export function imageProtocolOf(): ImageProtocol {
  return detectCapabilities(() => false).images ?? undefined;
}

/**
 * An image as lines: empty ones, and a last one that draws it over them. No lines if the terminal cannot draw it: the kitty
 * protocol takes PNG only.
 *
 * @example
 * imageLines({ image, protocol: 'kitty', width: 80, id: 7 });
 */
export function imageLines({
  image: { mediaType, data },
  protocol,
  width,
  id,
}: {
  readonly image: ImageSource;
  readonly protocol: ImageProtocol;
  readonly width: number;
  /** Of the image in the terminal: drawing it again replaces it. */
  readonly id: number;
}): ScreenLine[] {
  if (!protocol || (protocol === 'kitty' && mediaType !== 'image/png')) return [];
  // Sessions of other programs are read as they are: nothing but base64 may reach the terminal.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return [];
  const size = getImageDimensions(data, mediaType);
  if (!size || size.widthPx <= 0 || size.heightPx <= 0) return [];
  // A small image is not enlarged.
  const natural = { columns: size.widthPx / cell.widthPx, rows: size.heightPx / cell.heightPx };
  const scale = Math.min(1, Math.min(most.columns, width - 3) / natural.columns, most.rows / natural.rows);
  const [columns, rows] = [Math.ceil(natural.columns * scale), Math.ceil(natural.rows * scale)];
  const sequence =
    protocol === 'kitty'
      ? encodeKitty(data, { columns, rows, imageId: id, moveCursor: false })
      : encodeITerm2(data, { width: columns, height: rows });
  const up = rows - 1;
  return [
    ...Array.from({ length: up }, () => ''),
    new ImageLine({ above: up, sequence: `\u001b7${up > 0 ? `\u001b[${up}A` : ''}\u001b[2C${sequence}\u001b8` }),
  ];
}

/** Programs that print an image on the clipboard, for systems where it cannot be read directly. */
const clipboardPrograms = [
  'wl-paste --no-newline --type image/png',
  'xclip -selection clipboard -target image/png -out',
  'pngpaste -',
];

/**
 * The image on the clipboard: read directly where that is possible, otherwise by a program that is installed.
 *
 * @example
 * const image = await clipboardImage({ io });
 */
export async function clipboardImage({ io }: { readonly io: Io }): Promise<Uint8Array | undefined> {
  const direct = await getNativeClipboard()
    ?.getImage()
    .catch(() => undefined);
  if (direct || io.platform === 'win32') return direct ?? undefined;
  const folder = await io.temporaryFolder();
  const path = `${folder.path}/image`;
  try {
    const tries = clipboardPrograms.map((program) => `${program} > "$IMAGE" 2>/dev/null && [ -s "$IMAGE" ]`);
    const { code } = await io.runCommand({
      command: tries.join(' || '),
      cwd: io.cwd,
      env: { ...io.env, IMAGE: path },
      input: '',
      timeout: 5_000,
      signal: new AbortController().signal,
    });
    if (code !== 0) return undefined;
    const chunks: Uint8Array[] = [];
    for await (const chunk of io.files.read(path)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } finally {
    await folder.remove();
  }
}

/**
 * A file that was dropped on the terminal arrives as a pasted path; the path of an image becomes a mention.
 *
 * @example
 * droppedImage('/tmp/my\\ screen.png'); // '@"/tmp/my screen.png" '
 */
export function droppedImage(text: string): string | undefined {
  const found = /^'?(?:file:\/\/)?(\/[^\n'"]{1,1000}\.(?:png|jpe?g|gif|webp))'?\s?$/i.exec(text);
  return found ? `@"${(found[1] ?? '').replaceAll('\\', '')}" ` : undefined;
}
