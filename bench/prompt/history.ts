import { readCorpus } from '../tokens/corpus.ts';

/** One round of an agent: a request, an answer that calls a tool, and what the tool said. */
export interface Round {
  readonly request: string;
  readonly answer: string;
  readonly call: { readonly id: string; readonly name: string; readonly arguments: string };
  readonly result: string;
}

export interface History {
  readonly system: string;
  readonly rounds: readonly Round[];
  readonly question: string;
}

/** A conversation of so many messages, cut from code, JSON and prose of the installed packages. */
export function makeHistory({ messages }: { readonly messages: number }): History {
  const corpus = readCorpus({ scale: 0.5 });
  const texts = (name: string) => corpus.find((each) => each.name === name)?.texts ?? [];
  const prose = cutter(texts('markdown'));
  const code = cutter(texts('code'));
  const json = cutter(texts('json'));
  const rounds = Array.from({ length: Math.ceil(messages / 3) }, (_, index) => ({
    request: prose(180 + ((index * 37) % 400)),
    answer: prose(200 + ((index * 53) % 500)),
    call: {
      id: `call-${index}`,
      name: 'read_file',
      arguments: JSON.stringify({ path: `src/file-${index}.ts`, about: json(60) }),
    },
    result: index % 3 === 0 ? json(900 + ((index * 71) % 700)) : code(900 + ((index * 71) % 900)),
  }));
  return { system: prose(6_000), rounds, question: prose(300) };
}

/** Cuts one piece after the other off a list of texts, and begins anew when it ends. */
function cutter(texts: readonly string[]): (length: number) => string {
  const all = texts.join('\n');
  let at = 0;
  return (length) => {
    if (at + length > all.length) at = 0;
    // A cut of a large text keeps all of it in memory, and each implementation would pay for that.
    const piece = Buffer.from(all.slice(at, at + length)).toString();
    at += length;
    return piece;
  };
}
