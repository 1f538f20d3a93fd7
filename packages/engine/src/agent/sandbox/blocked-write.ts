/** How programs say that they may not write, with the path before or after it. */
const complaint = /^.*(?:read-only file system|EROFS).*$/im;
const quotedPath = /['"‘`]((?:\/|\.\.?\/)[^'"’`\n]*)/;
const barePath = /(?:^|\s)((?:\/|\.\.?\/)[^\s:]*)/g;

/**
 * What to add to the output of a command that failed inside the sandbox because it wrote elsewhere: the path and the
 * setting. Nothing where the output does not say so.
 */
export function blockedWriteNote(output: string): string | undefined {
  const [line] = complaint.exec(output.slice(-20_000)) ?? [];
  if (line === undefined) return undefined;
  // A program names itself first.
  const path = quotedPath.exec(line)?.[1] ?? [...line.matchAll(barePath)].at(-1)?.[1];
  const what = path === undefined ? 'a write' : `a write to ${path}`;
  return `[The sandbox blocked ${what}. Only the workspace, /tmp and the folders in the setting sandbox.writable can be written. outside_sandbox: true asks the user to run the command without the sandbox.]`;
}
