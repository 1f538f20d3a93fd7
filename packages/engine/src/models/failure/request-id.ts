/** Headers in which providers and gateways name a request, the provider's own first. */
const names = ['request-id', 'x-request-id', 'x-goog-request-id', 'x-amzn-requestid', 'apim-request-id'];

/** An id is a short word; anything else in such a header is not passed on. */
const shape = /^[\w.:/+=-]{1,128}$/;

/**
 * The provider's id of a request, from the headers of its response.
 *
 * @example
 * requestIdIn((name) => response.headers.get(name) ?? undefined); // 'req_011CS…'
 */
export function requestIdIn(header: (name: string) => string | undefined): string | undefined {
  return names.map(header).find((value) => value !== undefined && shape.test(value));
}
