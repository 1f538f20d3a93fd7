/** Commands that differ only behind this are taken for one; patterns must not run over a page of text. */
const longest = 1000;

/**
 * A command without what only changes where it begins and how much of it is shown: the same for runs of the same thing.
 *
 * @example
 * runName('cd /p && npm test 2>&1 | tail -20'); // 'npm test'
 */
export function runName(command: string): string {
  const bare = command
    .slice(0, longest)
    .replace(/^(?:cd|Push-Location|Set-Location)\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, '')
    .replace(/(?<!\s)\s+\|\s*(?:tail|head|e?grep|rg|sed|awk|tee|cat|Select-Object|Select-String)\b.*$/, '')
    .replace(/(?<!\s)\s*2>&1/g, '')
    .trim();
  return bare === '' ? command.slice(0, longest) : bare;
}
