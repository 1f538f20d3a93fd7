import { describe, expect, test } from 'vitest';
import { answered, said } from '../../session/fixtures/entries.ts';
import { begin } from '../../session/fixtures/sessions.ts';
import { bringIn, takeOut } from '../fixtures/bring-in.ts';
import { everyKind, jsonl } from '../fixtures/pi-file.ts';
import { fenced, plain, prose, quoted } from './write.ts';

async function documentOf(of: Pick<Awaited<ReturnType<typeof begin>>, 'store' | 'session'>) {
  return (await takeOut({ store: of.store, session: of.session.id, format: 'markdown' })).text;
}

describe('a session as a document', () => {
  test('has a title, facts, turns with handles, tools folded away', async () => {
    const { store, session } = await bringIn({ text: jsonl(everyKind()) });
    const { text, codes } = await takeOut({ store, session, format: 'markdown' });
    expect(codes).toEqual([]);
    expect(text).toMatch(/^# files\n/);
    expect(text).toContain('| folder | /repo |');
    expect(text).toContain('## 1. List the files.');
    expect(text).toContain('<a id="@3"></a>**@3** human · 2026-01-02 03:04:03 UTC · *start*\n\n> List the files.');
    expect(text).toContain('**@4** claude-sonnet-4-5');
    expect(text).toContain('<summary><b>bash</b> {"command":"ls"}</summary>');
    expect(text).toContain('result of <b>bash</b>, 3 lines</summary>\n\n```\na.txt\nb.txt\n[image, image/png');
  });

  test('marks a compaction with what it replaced', async () => {
    const { store, session } = await begin();
    await session.append(said('one'));
    await session.append(answered('two'));
    const kept = await session.append(said('three'));
    await session.compact({ summary: 'In short:\n- one', firstKeptId: kept.id, tokensBefore: 9, trigger: 'test' });
    const text = await documentOf({ store, session });
    expect(text).toContain(
      '**@4** compaction · replaced 2 messages: [@1](#@1) to [@2](#@2) · verbatim from [@3](#@3) · about',
    );
    expect(text).toContain('> In short:\n> - one\n');
    expect(text).not.toContain('@5');
  });

  test('lists the branches that were left, and where', async () => {
    const { store, session } = await begin();
    const first = await session.append(said('one'));
    await session.append(answered('a way'));
    await session.append(said('further'));
    await session.move({ to: first.id });
    await session.append(answered('another way'));
    const text = await documentOf({ store, session });
    expect(text).toContain('## Branches that were left\n\n- from [@1](#@1): @2 to @3, 2 entries: assistant a way');
    expect(text).toContain('another way');
    expect(text.indexOf('further')).toBe(-1);
  });

  test('of an empty session is its head', async () => {
    expect(await documentOf(await begin())).toContain('| size | 0 entries');
  });
});

describe('human text', () => {
  test('does not run on: code is closed, tags are shown', () => {
    expect(prose({ text: 'See:\n```ts\nconst a = <b>1;' })).toBe('See:\n```ts\nconst a = <b>1;\n```');
    expect(prose({ text: '</details> and `<b>` and a < b' })).toBe('&lt;/details> and `<b>` and a < b');
    expect(prose({ text: '~~~\n```\n<i>\n~~~\n<i>' })).toBe('~~~\n```\n<i>\n~~~\n&lt;i>');
  });

  test('is quoted line by line, and keeps its lines where a person typed them', () => {
    expect(quoted(prose({ text: 'a\n\nb', keepLines: true }))).toBe('> a  \n>\n> b  ');
  });

  test('is fenced by more backticks than it has', () => {
    expect(fenced({ text: '````\nx\n````' })).toBe('`````\n````\nx\n````\n`````');
  });

  test('says nothing to Markdown inside a line', () => {
    expect(plain('*a* [b](c) <d> `e` | #f')).toBe('\\*a\\* \\[b\\](c) &lt;d> \\`e\\` \\| \\#f');
  });

  test('of any length and with any backticks takes time in proportion', () => {
    const hostile = '`a``b'.repeat(200_000);
    expect(prose({ text: hostile })).toHaveLength(hostile.length);
  });
});
