/** Maximum characters compared; bounds the cost of the patterns. */
const maxChars = 1000;

/**
 * A command without directory changes and output filters: the same name for runs of the same thing.
 *
 * @example
 * runName('cd /p && npm test 2>&1 | tail -20'); // 'npm test'
 */
export function runName(command: string): string {
  const bare = command
    .slice(0, maxChars)
    .replace(/^(?:cd|Push-Location|Set-Location)\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, '')
    .replace(/(?<!\s)\s+\|\s*(?:tail|head|e?grep|rg|sed|awk|tee|cat|Select-Object|Select-String)\b.*$/, '')
    .replace(/(?<!\s)\s*2>&1/g, '')
    .trim();
  return bare === '' ? command.slice(0, maxChars) : bare;
}
