/** Advisories that do not apply, by their address, with the reason. */
const advisoriesAllowed: Readonly<Record<string, string>> = {};

/** What the registry says of the locked versions. */
export type Advice =
  | { readonly isKnown: false; readonly reason: string }
  | { readonly isKnown: true; readonly problems: readonly string[] };

/**
 * Reads what `npm audit --json` printed. An answer that holds no report is not an audit: the registry could not be asked.
 *
 * @example
 * readAdvice({ text: '{"message":"405 Method Not Allowed"}' }); // { isKnown: false, reason: '405 Method Not Allowed' }
 */
export function readAdvice({
  text,
  allowed = advisoriesAllowed,
}: {
  readonly text: string;
  readonly allowed?: Readonly<Record<string, string>>;
}): Advice {
  const report = parse(text);
  if (!isRecord(report) || !isRecord(report.vulnerabilities)) {
    const reason = isRecord(report) && typeof report.message === 'string' ? report.message : 'it gave no report';
    return { isKnown: false, reason };
  }
  const problems = Object.values(report.vulnerabilities).flatMap((found) => {
    const via = isRecord(found) && Array.isArray(found.via) ? found.via : [];
    return via.filter(isRecord).flatMap(({ name, title, severity, url, range }) => {
      const isAllowed = typeof url === 'string' && allowed[url] !== undefined;
      return isAllowed ? [] : [`${name} ${range}: ${title} (${severity}) ${url}`];
    });
  });
  return { isKnown: true, problems: [...new Set(problems)] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
