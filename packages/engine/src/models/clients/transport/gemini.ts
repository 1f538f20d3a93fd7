import type { Carry, Connection } from './dispatch.ts';

/** By plain fetch: Google's SDK writes bodies anew. The key goes in a header, never in the address. */
export function carryGemini({ connection, model }: { readonly connection: Connection; readonly model: string }): Carry {
  const { baseUrl, apiKey, headers, fetch } = connection;
  const base = /\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`;
  const name = encodeURIComponent(model.replace(/^models\//, ''));
  const url = `${base}/models/${name}:streamGenerateContent?alt=sse`;
  return ({ text, headers: more, signal }) =>
    fetch(url, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
        ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }),
        ...headers,
        ...more,
      },
      body: text,
      signal,
    });
}
