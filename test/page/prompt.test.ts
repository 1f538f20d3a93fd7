import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type PageBrowser, startBrowser } from './browser.ts';
import { longPrompt, smallPrompt, traced } from './prompts.ts';

let browser: PageBrowser;
let small: string;
let long: string;

beforeAll(async () => {
  browser = await startBrowser();
  small = await (await traced(smallPrompt(), { budget: 250 })).toHTML();
  long = await (await traced(longPrompt({ messages: 2500 }), { budget: 50_000 })).toHTML();
});

afterEach(async () => {
  await browser.closePages();
});

afterAll(async () => {
  await browser.close();
});

type Page = Awaited<ReturnType<PageBrowser['open']>>['page'];

const elements = 'document.querySelectorAll("*").length';
const selected = (page: Page) => page.locator('.row.selected .name').textContent();
const used = (page: Page) => page.locator('.used').textContent();
const settled = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

describe('the page of a prompt, as a file', () => {
  test('is quiet, says what it holds, and shows every element with share, tokens and priority', async () => {
    const { page, said, requests } = await browser.open(small);
    await page.locator('.row').first().waitFor();
    expect(await page.title()).toBe('A small prompt');
    expect(await page.locator('.note').textContent()).toMatch(/^This file holds \d+ budgets/);
    const system = page.locator('.row.of-message', { hasText: 'system' });
    expect(await system.locator('.share').textContent()).toBe('46');
    expect(await system.locator('.tokens').textContent()).toBe('15');
    expect(await system.locator('.priority').textContent()).toBe('1,000');
    expect([...said, ...requests]).toEqual([]);
  });

  test('tells what was pruned, in which order and why', async () => {
    const { page } = await browser.open(small);
    await page.keyboard.press('n');
    await page.locator('.why.is-gone').waitFor();
    const order = page.locator('.row', { hasText: 'cut cut' }).locator('.fate');
    expect(await order.textContent()).toBe('pruned 1st: lowest');
    await page.locator('.row', { hasText: 'cut cut' }).click();
    expect(await page.locator('.why').textContent()).toBe(
      'It was pruned 1st, to fit TokenLimit (limit 60): no other candidate had a lower priority (8).',
    );
    await page.locator('.row', { hasText: 'a.txt' }).click();
    expect(await page.locator('.why').textContent()).toContain('to fit the budget');
    expect(await page.locator('.detail .said').textContent()).toContain('a.txt a.txt');
  });

  test('is dragged to another budget, by mouse and by keys, and back to its own', async () => {
    const { page } = await browser.open(small);
    await page.locator('.row').first().waitFor();
    const before = await used(page);
    const slider = page.locator('.slider').first();
    const box = await slider.boundingBox();
    if (!box) throw new Error('The slider is not to be seen.');
    await page.mouse.move(box.x + box.width * 0.68, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    await settled(page);
    const wide = await used(page);
    expect(wide).not.toBe(before);
    await page.keyboard.press('0');
    await settled(page);
    // The original's page stays where it was when one goes back (editor.md 1.17).
    expect(await used(page)).toBe(before);
    await page.keyboard.press('[');
    await settled(page);
    expect(await used(page)).not.toBe(before);
  });

  test('says why there is no prompt where nothing fits', async () => {
    const { page } = await browser.open(small);
    await page.locator('.row').first().waitFor();
    await page.locator('.slider').first().fill('0');
    await page.locator('.failed', { hasText: 'Nothing of the prompt fits 0 tokens' }).waitFor();
    await page.keyboard.press('0');
    await settled(page);
    expect(await page.locator('.failed').isVisible()).toBe(false);
  });

  test('goes through the groups of the layout', async () => {
    const { page } = await browser.open(small);
    await page.locator('.row').first().waitFor();
    await page.locator('.slider').nth(1).fill('1');
    expect(await page.locator('.group').textContent()).toMatch(
      /^Group 2 of \d+: in Prompt, 5 elements share 250 tokens/,
    );
    expect(await page.locator('.group').textContent()).toContain('20 of them reserved for later groups');
    expect(await page.locator('.row.is-now').count()).toBe(5);
    expect(await page.locator('.row.is-later').count()).toBeGreaterThan(3);
    await page.keyboard.press('.');
    expect(await page.locator('.group').textContent()).toMatch(/^Group 3 of/);
  });

  test('is used by keys alone', async () => {
    const { page } = await browser.open(small);
    await page.locator('.row').first().waitFor();
    await page.keyboard.press('j');
    expect(await selected(page)).toBe('system');
    const rows = await page.locator('.row').count();
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('.row').count()).toBe(rows - 1);
    expect(await page.locator('.row.selected').getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await selected(page)).toBe('text');
    await page.keyboard.press('h');
    expect(await selected(page)).toBe('system');
    await page.keyboard.press('p');
    expect(await page.locator('.row.gone').count()).toBe(0);
    await page.keyboard.press('c');
    expect(await page.locator('#coloring').textContent()).toBe('Colors: priority');
    await page.keyboard.press('?');
    expect(await page.locator('.help dt').count()).toBeGreaterThan(15);
  });

  test('is light or dark by system setting or by choice', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor';
    const { page } = await browser.open(small, { colorScheme: 'light' });
    const light = await page.evaluate(background);
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    expect(await page.evaluate(background)).not.toBe(light);
  });

  test('shows what a prompt says as it is said', async () => {
    const { h, UserMessage } = await import('longhaul/prompt');
    const hostile = '</script><script>window.taken = 1</script><img src=x onerror="window.taken=1">';
    const { page, said } = await browser.open(
      await (await traced(h(UserMessage, {}, hostile), { budget: 500 })).toHTML(),
    );
    await page.locator('.row.of-text').click();
    expect(await page.locator('.detail .said').textContent()).toBe(hostile);
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(said).toEqual([]);
  });
});

describe('five thousand nodes', () => {
  test('are there, but only those near what is seen are in the document', async () => {
    const { page, said } = await browser.open(long);
    await page.locator('.row').first().waitFor();
    expect(await used(page)).toContain('of 5,003 nodes');
    const sizes = [await page.evaluate(elements)];
    await page.keyboard.press('G');
    await page.locator('.preview', { hasText: 'Message 2499' }).waitFor();
    sizes.push(await page.evaluate(elements));
    for (let step = 0; step < 10; step += 1) await page.keyboard.press('[');
    await settled(page);
    sizes.push(await page.evaluate(elements));
    for (const size of sizes) expect(size).toBeLessThan(1500);
    // The place in the tree is kept while the budget is dragged.
    expect(await page.locator('.preview', { hasText: 'Message 2499' }).count()).toBe(1);
    expect(said).toEqual([]);
  });
});

describe('the page of a server', () => {
  test('asks for any budget, and shows what was asked for last', async () => {
    const tracer = await traced(smallPrompt(), { budget: 250 });
    const server = await tracer.serve();
    try {
      const { page, said, requests } = await browser.visit(server.address);
      await page.locator('.row').first().waitFor();
      const before = await used(page);
      await page.locator('.slider').first().fill('123');
      await page.locator('.used', { hasText: 'of 123 tokens used' }).waitFor();
      expect(await used(page)).not.toBe(before);
      for (const budget of ['180', '190', '200', '201']) await page.locator('.slider').first().fill(budget);
      await page.locator('.used', { hasText: 'of 201 tokens used' }).waitFor();
      expect(requests.every((asked) => asked.startsWith(server.address))).toBe(true);
      expect(said).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('shows a prompt that did not fit, and where it would', async () => {
    const tracer = await traced(smallPrompt(), { budget: 5 });
    const server = await tracer.serve();
    try {
      const { page } = await browser.visit(server.address);
      await page.locator('.failed', { hasText: 'Nothing of the prompt fits 5 tokens' }).waitFor();
      await page.locator('.slider').first().fill('300');
      await page.locator('.used', { hasText: 'of 300 tokens used' }).waitFor();
      expect(await page.locator('.failed').isVisible()).toBe(false);
    } finally {
      await server.close();
    }
  });
});
