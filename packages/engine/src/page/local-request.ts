/** Headers as Node's HTTP server has them. */
interface RequestHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * Whether a request to a server on this machine was meant for it. A page of another site can make its own name lead to
 * 127.0.0.1 (DNS rebinding) and then send requests here from a browser; such a request names the other site as `Host` or
 * `Origin`. Every server that listens on loopback checks both before it answers.
 *
 * @example
 * if (!isLocalRequest({ headers: request.headers, authorities: loopbackAuthorities(port) })) response.writeHead(403).end();
 */
export function isLocalRequest({
  headers,
  authorities,
}: {
  readonly headers: RequestHeaders;
  /** The names and ports that the server is reached by, such as `127.0.0.1:8080`. */
  readonly authorities: readonly string[];
}): boolean {
  const { host, origin } = headers;
  if (host === undefined || !authorities.includes(host.toLowerCase())) return false;
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  return from !== null && /^https?:$/.test(from.protocol) && authorities.includes(from.host);
}

/** The authorities of a server that listens on loopback at a port. */
export function loopbackAuthorities(port: number): readonly string[] {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'];
  // Browsers leave out the default port.
  return hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]));
}
