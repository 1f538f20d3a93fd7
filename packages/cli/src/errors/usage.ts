import { LonghaulError } from 'longhaul';

/** Our names for what the parser of the command line objects to. */
const codes: Readonly<Record<string, string>> = {
  'commander.unknownCommand': 'unknown-command',
  'commander.unknownOption': 'unknown-option',
  'commander.missingArgument': 'missing-argument',
  'commander.excessArguments': 'too-many-arguments',
  'commander.optionMissingArgument': 'missing-value',
};

/**
 * An objection of the command-line parser as a member of the one error family.
 *
 * @example
 * throw usageError({ command: 'longhaul check', parserCode: 'commander.unknownOption', message: "error: unknown option '--foo'" });
 */
export function usageError({
  command,
  parserCode,
  message,
}: {
  /** The command as a person types it. */
  readonly command: string;
  readonly parserCode: string | undefined;
  /** The parser's words: `error: …`, and on a second line perhaps `(Did you mean …?)`. */
  readonly message: string;
}): LonghaulError {
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const guess = /^\(Did you mean (.+)\?\)$/.exec(second)?.[1];
  const cause = first
    .replace(/\.$/, '')
    .replace('. Expected', ': expected')
    .replace(/ argument missing$/, ' needs a value')
    .replaceAll("'", '"');
  return new LonghaulError({
    code: (parserCode !== undefined && codes[parserCode]) || 'bad-usage',
    cause: guess === undefined ? `${cause}.` : `${cause}; did you mean ${guess}?`,
    next: `Run \`${command} --help\` to see what it takes.`,
  });
}
