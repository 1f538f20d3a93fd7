/** The kinds of images that all providers take, by the bytes they begin with. */
const kinds: readonly { readonly mediaType: string; readonly isIt: (start: Buffer) => boolean }[] = [
  { mediaType: 'image/png', isIt: (start) => start.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  { mediaType: 'image/jpeg', isIt: (start) => start.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')) },
  { mediaType: 'image/gif', isIt: (start) => /^GIF8[79]a/.test(start.toString('latin1', 0, 6)) },
  {
    mediaType: 'image/webp',
    isIt: (start) => start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP',
  },
];

/** What kind of image begins with these bytes, whatever its file is called. */
export function imageType(start: Buffer): string | undefined {
  return kinds.find(({ isIt }) => isIt(start))?.mediaType;
}

/** Anthropic takes 5 MB of base64 an image; the others take more. Bytes. */
export const largestImage = 3_750_000;
