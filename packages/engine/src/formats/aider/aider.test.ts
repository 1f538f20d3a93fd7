import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSession } from '../../session/live/live-session.ts';
import { runs } from '../../testing/runs.ts';
import { bringIn } from '../fixtures/bring-in.ts';
import { expectSound } from '../fixtures/harm.ts';

const first = `
# aider chat started at 2026-01-02 03:04:05

> aider a.py  
> Aider v0.50.1  
> Added a.py to the chat.  

#### add a button  
####   
#### a blue one  

Certainly!

a.py
\`\`\`python
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE
\`\`\`

# Done

> Tokens: 11,336 sent, 1.4k cache write, 2k cache hit, 389 received. Cost: $0.05 message, $0.05 session.  
> Applied edit to a.py  

#### /run make  
> make: ok  

> Add 1 line of output to the chat? y  

#### /diff  

#### thanks  

You are welcome.
`;

const second = `
# aider chat started at 2026-01-03 10:00:00

#### /clear  

#### # Fix any errors below, if possible.  
#### a.py:1: E999  

Fixed.

#### /clear  

#### /ask why?  

####  why?  

Because.
`;

describe('a chat history', () => {
  test('tells who speaks by how lines begin', async () => {
    const { format, sent, codes } = await bringIn({ text: first });
    expect(format).toBe('aider');
    expect(codes).toEqual(['lossy-format']);
    expect(sent).toEqual([
      'user: aider a.py\nAider v0.50.1\nAdded a.py to the chat.',
      'user: add a button\n\na blue one',
      'assistant: Certainly!\n\na.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n\n# Done',
      'user: Tokens: 11,336 sent, 1.4k cache write, 2k cache hit, 389 received. Cost: $0.05 message, $0.05 session.\nApplied edit to a.py',
      'user: /run make',
      'user: make: ok | Add 1 line of output to the chat? y',
      'user: /diff | thanks',
      'assistant: You are welcome.',
    ]);
  });

  test('what was typed is human, what was printed comes from tools, and what a linter says is neither', async () => {
    const { entries } = await bringIn({ text: first });
    const origins = entries.flatMap((entry) =>
      entry.type === 'message' ? [entry.message.parts.map((p) => p.origin)] : [],
    );
    expect(origins.flat()).toEqual([
      'tool',
      'human',
      'model',
      'tool',
      'human',
      'tool',
      'tool',
      'human',
      'human',
      'model',
    ]);
    const { sessions, store } = await bringIn({ text: first + second });
    const [log] = [await store.read({ session: sessions[1] ?? '', query: { after: 0 } })];
    const fix = log.flatMap((entry) => (entry.type === 'message' ? entry.message.parts : []));
    expect(fix.find((part) => part.type === 'text' && part.text.includes('E999'))?.origin).toBe('engine');
  });

  test('the usage of an answer is a note', async () => {
    const { entries } = await bringIn({ text: first });
    const answer = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant');
    expect(entries.filter(({ type }) => type === 'usage')).toMatchObject([
      { target: answer?.id, usage: { input: 9936, output: 389, cacheRead: 2000, cacheWrite: 1400 } },
    ]);
  });

  test('every run is a session with the time at which it began', async () => {
    const { store, sessions } = await bringIn({ text: first + second + first });
    const lives = await Promise.all(sessions.map((id) => openSession({ store, id })));
    const times = lives.map(({ header }) => new Date(header.createdAt).toISOString());
    expect(times).toEqual(['2026-01-02T03:04:05.000Z', '2026-01-03T10:00:00.000Z', '2026-01-02T03:04:05.000Z']);
    expect(lives.map(({ context }) => context.items.length)).toEqual([8, 2, 8]);
  });

  test('after /clear the model is sent nothing of what was before; the log keeps it', async () => {
    const { store, sessions } = await bringIn({ text: first + second });
    const live = await openSession({ store, id: sessions[1] ?? '' });
    const sent = live.context.items.map(({ message }) =>
      message.parts.map((part) => part.type === 'text' && part.text),
    );
    expect(sent).toEqual([['/clear', '/ask why?', ' why?'], ['Because.']]);
    const kinds = (await live.path()).map(({ type }) => type);
    // The first of the two takes nothing away.
    expect(kinds).toEqual(['message', 'message', 'epoch', 'message', 'message']);
  });

  test('a command in the midst of what is typed clears nothing', async () => {
    const text = '# aider chat started at 2026-01-02 03:04:05\n\nHi.\n\n#### type\n#### /clear\n#### to begin anew\n';
    expect((await bringIn({ text })).sent).toEqual(['assistant: Hi.', 'user: type\n/clear\nto begin anew']);
  });
});

test('a file that grew by any number of lines is the same sessions, which send the same', async () => {
  const whole = first + second;
  const lines = whole.split('\n');
  const all = await bringIn({ text: whole });
  const sentBy = async ({ store, sessions }: typeof all) => {
    const lives = await Promise.all(sessions.map((id) => openSession({ store, id })));
    return lives.map(({ context }) => context.items.map(({ message }) => message));
  };
  const expected = await sentBy(all);
  for (let count = 3; count < lines.length; count += 1) {
    const { store, session } = await bringIn({ text: lines.slice(0, count).join('\n') });
    const grown = await bringIn({ text: whole, store });
    expect(grown.session).toBe(session);
    expect(await sentBy(grown)).toEqual(expected);
    expect(await store.list()).toHaveLength(2);
  }
});

test('any lines after the heading are read into a sound log', async () => {
  const line = fc.constantFrom(
    ...(first + second).split('\n'),
    '####',
    '>',
    '#### ',
    '> ',
    '\u2028',
    '```',
    '#### /clear',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40 }), async (lines) => {
      await expectSound(`# aider chat started at 2026-01-02 03:04:05\n${lines.join('\n')}`);
    }),
    runs(200),
  );
});

describe('a real aider history, many chats in one file, whose first line is not a heading, is read', () => {
  const headless = `> Applied edit to a.py  

#### go on  

As you wish.
`;

  test('a chat whose heading is gone is a session of its own', async () => {
    const { store, sessions, sent } = await bringIn({ text: headless + first + second });
    expect(sessions).toHaveLength(3);
    expect(sent).toEqual(['user: Applied edit to a.py', 'user: go on', 'assistant: As you wish.']);
    const lives = await Promise.all(sessions.map((id) => openSession({ store, id })));
    expect(lives.map(({ context }) => context.items.length)).toEqual([3, 8, 2]);
  });

  test('output of the program before the first heading belongs to the chat that follows', async () => {
    const { sessions, sent } = await bringIn({ text: `> Added .aider* to .gitignore  \n${first}${second}` });
    expect(sessions).toHaveLength(2);
    expect(sent[0]).toBe('user: Added .aider* to .gitignore | aider a.py\nAider v0.50.1\nAdded a.py to the chat.');
  });

  test('the first heading may be far away, or there may be none', async () => {
    const long = `#### tell me everything  \n\n${'Everything is much.\n'.repeat(8_000)}\n> Tokens: 1.2k sent, 99k received.  \n`;
    const far = await bringIn({ text: `${headless}${long}${first}` });
    expect(far.sessions).toHaveLength(2);
    expect((await bringIn({ text: headless })).sent).toHaveLength(3);
  });

  test('read again after it grew, it is the same sessions', async () => {
    const { store, sessions } = await bringIn({ text: headless + first });
    const grown = await bringIn({ text: headless + first + second, store });
    expect(grown.sessions.slice(0, 2)).toEqual(sessions);
    expect(await store.list()).toHaveLength(3);
  });
});
