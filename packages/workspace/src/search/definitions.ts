/** A definition as a scan by lines finds it: fast enough for every file of a large workspace. */
export interface Definition {
  readonly name: string;
  /** Offset of the line it begins on. */
  readonly at: number;
}

/**
 * One line that begins a definition, in any of the usual languages: a keyword and a name, or a name with parameters and an
 * opening brace. Bounded repetitions keep it linear.
 */
const definition = new RegExp(
  [
    '^(?:',
    // Variables of a module; those inside of functions are no definitions.
    '(?:export[ \\t])?(?:declare[ \\t])?(?:const|let|var|val|static)[ \\t]{1,8}(?:mut[ \\t])?([A-Za-z_$][\\w$]{0,80})|',
    '[ \\t]{0,24}(?:(?:export|default|declare|public|private|protected|internal|static|abstract|final|sealed|async|override|',
    'readonly|pub(?:\\([a-z]{1,10}\\))?|unsafe|extern|virtual|inline|partial|open|data|suspend)[ \\t]){0,5}',
    '(?:(?:function\\*?|class|interface|enum|type|namespace|module|def|func|fn|struct|trait|impl|union|record|object|protocol|',
    'extension|macro_rules!|sub|mod|fun)[ \\t]{1,8}(?:\\([^()\\n]{0,80}\\)[ \\t])?(?:self\\.)?([A-Za-z_$][\\w$]{0,80})',
    '|#?([A-Za-z_$][\\w$]{1,80})[ \\t]?(?:<[^<>\\n]{0,80}>)?\\([^\\n]{0,300}[{:,(][ \\t]?$))',
  ].join(''),
  'gm',
);

const notNames = new Set(
  'if for while switch catch return function else do try with new await typeof super print assert'.split(' '),
);

/** The definitions of a text, in order. */
export function definitionsOf(text: string): Definition[] {
  const found: Definition[] = [];
  definition.lastIndex = 0;
  for (let match = definition.exec(text); match; match = definition.exec(text)) {
    const name = match[1] ?? match[2] ?? match[3];
    if (name && !notNames.has(name)) found.push({ name, at: match.index });
  }
  return found;
}
