import type { TracePage } from './trace-page.ts';

/** An answer to a request. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Budgets above this are no budgets. */
const mostTokens = 1_000_000_000;

/**
 * Answers for the page: the document at `/TOKEN/`, a render at `/TOKEN/render?budget=N`. Who does not know the token
 * learns nothing.
 *
 * @example
 * const { status, body } = await answerFor({ page, token, method: 'GET', url: `/${token}/render?budget=800` });
 */
export async function answerFor({
  page,
  token,
  method,
  url,
}: {
  readonly page: TracePage;
  readonly token: string;
  readonly method: string;
  readonly url: string;
}): Promise<Answer> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  if (!isUnder({ token, pathname })) return plain(404, 'There is nothing here.');
  if (method !== 'GET') return plain(405, 'Only GET is answered.');
  switch (pathname.slice(token.length + 1)) {
    case '':
    case '/':
      return { status: 200, type: 'text/html; charset=utf-8', body: await page.html({ renders: 'live' }) };
    case '/render': {
      const budget = Number(searchParams.get('budget') ?? Number.NaN);
      if (!Number.isSafeInteger(budget) || budget < 0 || budget > mostTokens)
        return plain(400, 'budget must be a whole number of tokens.');
      return { status: 200, type: 'application/json', body: JSON.stringify(await page.render(budget)) };
    }
    default:
      return plain(404, 'There is nothing here.');
  }
}

/** Whether a path begins with the token. */
export function isUnder({ token, pathname }: { readonly token: string; readonly pathname: string }): boolean {
  return pathname === `/${token}` || pathname.startsWith(`/${token}/`);
}

function plain(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body };
}
