import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A page that was opened, and everything that should not have happened on it. */
interface OpenedPage {
  readonly page: Page;
  /** What the browser had to say: errors, warnings, refusals. */
  readonly said: readonly string[];
  /** What was asked for besides the file itself. */
  readonly requests: readonly string[];
}

/** A real Chromium that opens pages from the disk. */
export interface PageBrowser {
  readonly open: (
    html: string,
    options?: { readonly hash?: string } & Pick<BrowserContextOptions, 'colorScheme' | 'viewport'>,
  ) => Promise<OpenedPage>;
  /** Opens what a server on this machine serves. */
  readonly visit: (address: string) => Promise<OpenedPage>;
  readonly closePages: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Starts Chromium out of the npm package: nothing is downloaded, nothing has to be installed.
 *
 * @example
 * const browser = await startBrowser();
 * const { page, said } = await browser.open(html, { hash: '#@12' });
 */
export async function startBrowser(): Promise<PageBrowser> {
  const executablePath = await sparticuz.executablePath();
  // In one process the browser ends with its first page.
  const args = sparticuz.args.filter((arg) => arg !== '--single-process');
  const browser: Browser = await chromium.launch({ executablePath, args: [...args, '--no-sandbox'] });
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-page-'));
  let files = 0;

  async function watched(options: BrowserContextOptions) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    const said: string[] = [];
    const requests: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    page.on('request', (request) => requests.push(request.url()));
    return { page, said, requests };
  }

  return {
    async open(html, { hash = '', ...options } = {}) {
      files += 1;
      const file = join(folder, `${files}.html`);
      await writeFile(file, html);
      const url = pathToFileURL(file).href;
      const { page, said, requests } = await watched(options);
      await page.goto(`${url}${hash}`);
      return { page, said, requests: requests.filter((asked) => !asked.startsWith(url) && asked !== 'data:,') };
    },
    async visit(address) {
      const opened = await watched({});
      await opened.page.goto(address);
      return opened;
    },
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async close() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
