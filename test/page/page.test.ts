import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type PageBrowser, startBrowser } from './browser.ts';
import { flakyTest } from './flaky-test.ts';
import { answer, call, openStory, pageOf, result, say, words } from './story.ts';

let browser: PageBrowser;
let story: string;
let long: string;

beforeAll(async () => {
  browser = await startBrowser();
  story = await pageOf(await flakyTest());
  long = await pageOf(await tenThousand());
});

afterEach(async () => {
  await browser.closePages();
});

afterAll(async () => {
  await browser.close();
});

/** Ten thousand entries of all sizes; one of them has the needle. */
async function tenThousand() {
  const { store, session } = await openStory({ name: 'Ten thousand' });
  for (let turn = 0; turn < 2500; turn += 1) {
    await say(session, `Question ${turn}: ${'and so on '.repeat(turn % 40)}`);
    await answer(session, words(`Answer ${turn}.\n`.repeat(1 + (turn % 30))), call(`c${turn}`, 'bash', { turn }));
    await result(session, `c${turn}`, turn === 1234 ? 'a needle in the hay' : 'hay\n'.repeat(turn % 90));
    await answer(session, words(`Done with ${turn}.`));
  }
  return { store, session };
}

const elements = 'document.querySelectorAll("*").length';
const marks = 'CSS.highlights.get("found").size';

describe('the page of a session, opened from the disk', () => {
  test('is quiet: no error, no warning, no request', async () => {
    const { page, said, requests } = await browser.open(story);
    await page.getByText('Find out why').first().waitFor();
    expect(await page.title()).toBe('The login test that fails on Mondays');
    expect(said).toEqual([]);
    expect(requests).toEqual([]);
  });

  test('could not ask for anything if it wanted to', async () => {
    const { page } = await browser.open(story);
    const asked = await page.evaluate("fetch('https://example.com/').then(() => 'answered', () => 'refused')");
    expect(asked).toBe('refused');
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    expect(policy).toContain("default-src 'none'");
  });

  test('shows what was said as it was said, whatever that is', async () => {
    const { store, session } = await openStory();
    const hostile =
      '</script><script>window.taken = 1</script><!-- <script> <img src=x onerror="window.taken=1">\u2028&lt;b&gt;';
    await say(session, hostile);
    await session.append({ type: 'session_info', info: { name: '</title><script>window.taken = 1</script>' } });
    const { page, said } = await browser.open(await pageOf({ store, session }));
    expect(await page.locator('.row.human .said').textContent()).toBe(hostile);
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(said).toEqual([]);
  });

  test('shows the images that it holds', async () => {
    const { store, session } = await openStory();
    const data = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
    await session.append({
      type: 'message',
      message: {
        role: 'user',
        parts: [{ type: 'image', origin: 'human', source: { kind: 'base64', mediaType: 'image/gif', data } }],
      },
    });
    const { page, said, requests } = await browser.open(await pageOf({ store, session }));
    const image = page.locator('.row img');
    expect(await image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
    expect([...said, ...requests.filter((asked) => !asked.startsWith('data:'))]).toEqual([]);
  });

  test('is light or dark by system setting or by choice', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor';
    const { page } = await browser.open(story, { colorScheme: 'light' });
    const light = await page.evaluate(background);
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    const dark = await page.evaluate(background);
    expect(dark).not.toBe(light);
    const { page: other } = await browser.open(story, { colorScheme: 'dark' });
    expect(await other.evaluate(background)).toBe(dark);
  });

  test('of an empty session says so by being empty', async () => {
    const { page, said } = await browser.open(await pageOf(await openStory({ name: 'Nothing yet' })));
    expect(await page.locator('h1').textContent()).toBe('Nothing yet');
    expect(await page.locator('.row').count()).toBe(0);
    expect(said).toEqual([]);
  });
});

describe('ten thousand entries', () => {
  test('are there, but only those near what is seen are in the document', async () => {
    const { page, said } = await browser.open(long);
    const sizes = [await page.evaluate(elements)];
    await page.keyboard.press('G');
    await page.getByText('Done with 2499.', { exact: true }).waitFor();
    sizes.push(await page.evaluate(elements));
    await page.evaluate('location.hash = "#@5001"');
    await page.locator('[data-handle="5001"].selected').waitFor();
    sizes.push(await page.evaluate(elements));
    await page.keyboard.press('e');
    sizes.push(await page.evaluate(elements));
    for (const size of sizes) expect(size).toBeLessThan(1500);
    expect(said).toEqual([]);
  });

  test('stay where they are while heights above become known', async () => {
    const { page } = await browser.open(long, { hash: '#@5001' });
    const top = () =>
      page.locator('[data-handle="5001"].row').evaluate((row) => Math.round(row.getBoundingClientRect().top));
    const before = await top();
    for (let step = 0; step < 12; step += 1) {
      await page.locator('.timeline').evaluate((pane) => pane.scrollBy(0, -40));
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    expect(Math.abs((await top()) - before - 480)).toBeLessThanOrEqual(12);
  });

  test('are searched as a whole', async () => {
    const { page } = await browser.open(long);
    await page.locator('.query').fill('NEEDLE in the hay');
    await page.locator('.found', { hasText: /^1$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('a needle in the hay').waitFor();
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('4939');
    expect(await page.evaluate(marks)).toBe(1);
  });
});

describe('searching', () => {
  test('goes from find to find and round, forwards and back', async () => {
    const { page } = await browser.open(story);
    await page.locator('.query').fill('monday');
    const found = page.locator('.found');
    await page.locator('.found', { hasText: /^\d$/ }).waitFor();
    const all = Number(await found.textContent());
    expect(all).toBeGreaterThan(1);
    await page.keyboard.press('Enter');
    expect(await found.textContent()).toBe(`1 of ${all}`);
    await page.keyboard.press('Shift+Enter');
    expect(await found.textContent()).toBe(`${all} of ${all}`);
    await page.keyboard.press('Enter');
    expect(await found.textContent()).toBe(`1 of ${all}`);
    expect(await page.evaluate(marks)).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
    expect(await page.evaluate(marks)).toBe(0);
  });

  test('opens what is folded, and goes to branches that were left', async () => {
    const { page } = await browser.open(story);
    await page.locator('.query').fill('hang.');
    await page.locator('.found', { hasText: /^\d$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('three other tests now wait').waitFor();
    expect(await page.locator('.aside-note').isVisible()).toBe(true);
    await page.locator('.query').fill('Received: 4');
    await page.locator('.found', { hasText: /^1$/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await page.locator('.row.selected .inside').textContent()).toContain('Received: 4');
  });

  test('says so when there is nothing', async () => {
    const { page } = await browser.open(story);
    await page.locator('.query').fill('zebra');
    await page.locator('.found', { hasText: 'nothing' }).waitFor();
  });
});

describe('a compaction', () => {
  test('opens to its summary and to what it replaced, and leads there', async () => {
    const { page } = await browser.open(story, { hash: '#@20' });
    const row = page.locator('.row.is-compaction');
    await row.getByText('the summary in their place').click();
    expect(await row.locator('.inside').textContent()).toContain('it compares days now');
    await row.getByText('replaced 11 messages').click();
    expect(await row.locator('.replaced-list li').count()).toBe(11);
    await row.locator('.replaced-list a', { hasText: '@2' }).first().click();
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('2');
    expect(await page.locator('.row.selected .since').textContent()).toBe('not sent since @20');
  });

  test('is a drop in the plot, which leads to every place', async () => {
    const { page } = await browser.open(story);
    expect(await page.locator('.plot .compaction').count()).toBe(1);
    expect((await page.locator('.plot .line').getAttribute('d'))?.length).toBeGreaterThan(50);
    await page.locator('.plot svg').click({ position: { x: 1250, y: 40 } });
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('23');
  });
});

describe('the tree', () => {
  test('has the branch that was left under the place it left from; there and back', async () => {
    const { page } = await browser.open(story);
    const branch = page.locator('.item', { hasText: 'Freeze the clock.' });
    expect(await branch.getAttribute('class')).toContain('aside');
    await branch.click();
    await page.locator('.row.selected', { hasText: 'Freeze the clock.' }).waitFor();
    expect(await page.locator('.row', { hasText: 'Then compare with the same day' }).count()).toBe(0);
    await page.getByText('Back to the current position').click();
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('23');
    expect(await page.locator('.aside-note').isVisible()).toBe(false);
  });

  test('is reached from the timeline too, and by handle', async () => {
    const { page } = await browser.open(story, { hash: '#@6' });
    await page.locator('.forks a', { hasText: '@8' }).click();
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('8');
    const { page: other } = await browser.open(story, { hash: '#@11' });
    expect(await other.locator('.row.selected').textContent()).toContain('three other tests');
  });
});

describe('by keys alone', () => {
  test('one goes through the entries, opens, folds and copies them', async () => {
    const { page } = await browser.open(story);
    await page.keyboard.press(']');
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('2');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.locator('.row.selected').getAttribute('data-handle')).toBe('4');
    await page.keyboard.press('Enter');
    expect(await page.locator('.row.selected .inside').textContent()).toContain('toBe(1);');
    await page.keyboard.press('Enter');
    expect(await page.locator('.row.selected .inside').count()).toBe(0);
    await page.keyboard.press('k');
    await page.keyboard.press('y');
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('location.hash')).toBe('#@3');
    await page.keyboard.press('/');
    await page.keyboard.press('Control+v');
    expect(await page.locator('.query').inputValue()).toContain('I will read the test');
  });

  test('one opens a fold that has the focus, and keeps the focus', async () => {
    const { page } = await browser.open(story);
    const fold = page.locator('[data-handle="4"] .fold-head');
    await fold.focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-handle="4"] .inside').waitFor();
    await page.keyboard.press('Enter');
    expect(await page.locator('[data-handle="4"] .inside').count()).toBe(0);
    expect(await fold.evaluate((head) => head === head.ownerDocument.activeElement)).toBe(true);
  });

  test('one finds the notes, the search and the list of keys', async () => {
    const { page } = await browser.open(story);
    await page.keyboard.press('m');
    await page.locator('.row.note.is-label').waitFor();
    await page.keyboard.press('Control+f');
    expect(await page.evaluate('document.activeElement.className')).toBe('query');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('.help dt').count()).toBeGreaterThan(10);
  });
});
