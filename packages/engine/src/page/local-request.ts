/** Headers of Node's HTTP server. */
interface RequestHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/**
 * Whether a request to a server on this machine was meant for it. With DNS rebinding a website can point its own name
 * to 127.0.0.1 and send requests here from a browser; such a request has the other site as `Host` or `Origin`. Every
 * server on loopback checks both before it answers.
 *
 * @example
 * if (!isLocalRequest({ headers: request.headers, authorities: loopbackAuthorities(port) })) response.writeHead(403).end();
 */
export function isLocalRequest({
  headers,
  authorities,
}: {
  readonly headers: RequestHeaders;
  /** Hosts and ports of the server, such as `127.0.0.1:8080`. */
  readonly authorities: readonly string[];
}): boolean {
  const { host, origin } = headers;
  if (host === undefined || !authorities.includes(host.toLowerCase())) return false;
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  return from !== null && /^https?:$/.test(from.protocol) && authorities.includes(from.host);
}

/** The authorities of a loopback server at a port. */
export function loopbackAuthorities(port: number): readonly string[] {
  const hosts = ['127.0.0.1', 'localhost', '[::1]'];
  // Browsers omit the default port.
  return hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]));
}
