import { expect, it } from 'vitest';
import { readEvents } from './event-stream.ts';

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return Array.fromAsync(readEvents({ reader: body.getReader(), limit: 1000 }));
}

const bytes = new TextEncoder().encode('event: a\r\ndata: "Grüße 漢字 👩‍🚀"\r\n\r\n: ping\n\ndata: 2\n\n');

it('characters and events may be cut at every offset', async () => {
  for (let at = 0; at <= bytes.length; at += 1)
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(['"Grüße 漢字 👩‍🚀"', '2']);
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  expect(await read(single)).toEqual(['"Grüße 漢字 👩‍🚀"', '2']);
});

it('a last event without its blank line counts', async () => {
  expect(await read([new TextEncoder().encode('data: 1\n\ndata: 2')])).toEqual(['1', '2']);
});

it('an answer without any event is no stream, and says what it was', async () => {
  await expect(read([new TextEncoder().encode('<html>hello</html>')])).rejects.toMatchObject({
    name: 'NoStream',
    text: '<html>hello</html>',
  });
});
