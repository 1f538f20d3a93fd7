import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';

const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
const terms = [...glossary.matchAll(/^- \*\*(.+?)\*\*: (.+)$/gm)].map(([, term = '', sentence = '']) => ({
  term,
  sentence,
}));

/** Words of ordinary or general technical English that need no definition. */
const ordinary = new Set(
  `
abstract access action add advance after ai amount answer any append as assistant attachment attempt background base
before bounded cache call cancellation capabilities change character chat check child choice chosen classify clock
code collect combine command commit common compact components conflict content conversation copy cost count create
ctor cursor custom damage data decision decoder definition delay dev divergence document draft edit embedder empty encoding
end endpoint environment error event exceeded exchange exists exit expandable export extension facts failed fake family fault
fetch file find fit folder follow for form format found fragment from function gather generate gist h heap held
history hit holder html human i id if ihtml illegal image ignore import in index info instruction inventory is item job json
jsx keep key kind label lease legacy length limit line list listener live local log logical longhaul lookup map mark
mcp match media memory message metadata middleware missing mode model move name next no node numbers object observe of offset on
open options outcome output override parse part partial path peek permission piece place plain plan position prefix
preflight prepare previous prices prior prioritization prioritized problem processor profile progress projection prompt proposal
propose props provider purpose query queue quotes random range rates raw read reason recent reduce reference rejected rewind
remote render repair report request response result retry reversal review role router row rule run runtime same script
sdk seal search section segment semantic sent server settings share shell signal similar situation size snapshot
snippet source span spec split spoken sqlite start state stats status step stop stream structure subagent summary
survival system table tag target test text thinking to token tokenizer tool total touch trace transport tree trigger
trouble type undo undoable undone unknown upgrade uri usage use validity variables verdict version view visible vs
vscpp vscppf warning window with withdrawn within work workspace wrapper write
activate active are author authority board branches choose consolidate contradiction define evidence expanded finished fold imported inbox isolated kinds loaded merge
merged note other prune remove repository stale ui vote weight
`
    .trim()
    .split(/\s+/),
);

test('the glossary has at most 60 terms, sorted, one sentence each', () => {
  expect(terms.length).toBeLessThanOrEqual(60);
  expect(terms.map(({ term }) => term)).toEqual(terms.map(({ term }) => term).toSorted());
  for (const { term, sentence } of terms) expect(sentence, term).toMatch(/^[A-Z][^.]*(?:\.\w[^.]*)*\.$/);
});

test('every domain word in a public name is in the glossary', () => {
  const defined = new Set(terms.flatMap(({ term }) => term.split(' ')));
  const names = ['engine', 'workspace', 'embeddings'].flatMap((name) => [...publicNames(`packages/${name}`)]);
  expect(names.length).toBeGreaterThan(300);
  const unknown = names.flatMap((name) =>
    wordsOf(name)
      .filter((word) => !stems(word).some((stem) => defined.has(stem) || ordinary.has(stem)))
      .map((word) => `${word} in ${name}`),
  );
  expect(unknown).toEqual([]);
});

/** The words of a camel-case name, in lower case. */
function wordsOf(name: string): string[] {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_/).map((word) => word.toLowerCase());
}

const endings: readonly (readonly [string, string])[] = [
  ['ies', 'y'],
  ...['es', 's', 'ed', 'ing', 'er', 'or', 'ion'].flatMap((ending): [string, string][] => [
    [ending, ''],
    [ending, 'e'],
  ]),
];

/** A word and the forms it may be derived from: `pruned`, `pruning` -> `prune`; `running` -> `run`. */
function stems(word: string): string[] {
  const bases = endings.flatMap(([ending, base]) =>
    word.endsWith(ending) && word.length - ending.length + base.length > 2
      ? [word.slice(0, word.length - ending.length) + base]
      : [],
  );
  const undoubled = [word, ...bases].flatMap((base) => (base.at(-1) === base.at(-2) ? [base.slice(0, -1)] : []));
  return [word, ...bases, ...undoubled];
}

/** Every name that the entries of a package export, followed through their re-exports. */
function publicNames(folder: string): Set<string> {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly 'longhaul-source'?: string }>>;
  };
  const sources = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'object' && entry['longhaul-source'] !== undefined ? [entry['longhaul-source']] : [],
  );
  return new Set(sources.flatMap((source) => [...exportedBy(join(root, folder, source))]));
}

function exportedBy(file: string): Set<string> {
  const text = readFileSync(file, 'utf8');
  const names = new Set<string>();
  for (const [, list = ''] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(',')) {
      const name =
        item
          .trim()
          .replace(/^type /, '')
          .split(' as ')
          .at(-1) ?? '';
      if (/^\w+$/.test(name)) names.add(name);
    }
  }
  for (const [, alias, from = ''] of text.matchAll(/^export (?:type )?\*(?: as (\w+))? from '([^']+)'/gm)) {
    if (alias === undefined) for (const name of exportedBy(join(dirname(file), from))) names.add(name);
    else names.add(alias);
  }
  const declared =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|class|interface|type|namespace) (\w+)/gm;
  for (const [, name = ''] of text.matchAll(declared)) names.add(name);
  return names;
}
