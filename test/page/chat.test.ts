import { createOpenAI } from '@ai-sdk/openai';
import { createLonghaul } from 'longhaul';
import { startLoopback } from 'longhaul/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChat } from '../../examples/ai-sdk-ui/server.ts';
import { type PageBrowser, startBrowser } from './browser.ts';

let browser: PageBrowser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => await browser.close());

it('useChat: a reload shows the conversation, and goes on in the middle of an answer', async () => {
  const gates = new Map<string, PromiseWithResolvers<string>>();
  const gate = (path: string) => {
    const made = gates.get(path) ?? Promise.withResolvers<string>();
    gates.set(path, made);
    return made;
  };
  const loopback = await startLoopback({
    script: ({ body }) => {
      const sent = JSON.stringify(body);
      const asked = [...sent.matchAll(/Read (\w+\.ts)/g)].at(-1)?.[1] ?? '';
      return sent.includes(`\\"path\\":\\"${asked}\\",\\"text\\"`)
        ? { text: `That was ${asked}.` }
        : { text: `Reading ${asked}.`, toolCalls: [{ name: 'read', arguments: { path: asked } }] };
    },
  });
  const model = createOpenAI({ baseURL: `${loopback.url}/v1`, apiKey: 'k' }).chat('gpt-4.1');
  const sessions = await createLonghaul();
  const chat = await startChat({ sessions, model, read: (path) => gate(path).promise });
  try {
    const { page, said } = await browser.visit(`${chat.url}/?chat=first`);
    const ask = async (text: string) => {
      await page.getByPlaceholder('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
    };
    const texts = async () => await page.locator('article').allInnerTexts();
    const waitFor = async (text: string) => await page.getByText(text, { exact: true }).waitFor();

    await ask('Read one.ts');
    await waitFor('Reading one.ts.');
    gate('one.ts').resolve('const one = 1;');
    await waitFor('That was one.ts.');
    const before = await texts();
    const ids = async () => await page.locator('article').evaluateAll((list) => list.map(({ id }) => id));
    const idsBefore = await ids();
    await page.reload();
    await waitFor('That was one.ts.');
    expect(await texts()).toEqual(before);
    expect(await ids()).toEqual(idsBefore);
    expect(before.join()).toContain('one.ts: 14 characters');

    await ask('Read two.ts');
    await waitFor('Reading two.ts.');
    await page.reload();
    await waitFor('Reading two.ts.');
    await page.locator('main[data-status=streaming]').waitFor();
    gate('two.ts').resolve('const two = 2;');
    await waitFor('That was two.ts.');
    await page.locator('main[data-status=ready]').waitFor();
    const after = await texts();
    expect(after).toHaveLength(4);
    await page.reload();
    await waitFor('That was two.ts.');
    expect(await texts()).toEqual(after);

    await page.getByRole('button', { name: 'Again' }).click();
    await page.locator('main[data-status=ready]').waitFor();
    await page.reload();
    await waitFor('That was two.ts.');
    expect(await texts()).toEqual(after);
    expect(said).toEqual([]);

    const path = await (await sessions.open('first')).engine.session.path();
    const questions = path.filter(
      ({ type, ...entry }) => type === 'message' && JSON.stringify(entry).includes('"human"'),
    );
    expect(questions).toHaveLength(2);
    expect(loopback.requests.every(({ verdict }) => verdict?.legal)).toBe(true);
  } finally {
    await browser.closePages();
    await chat.close();
    await sessions.close();
    await loopback.close();
  }
});
