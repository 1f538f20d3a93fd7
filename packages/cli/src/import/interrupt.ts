import { LonghaulError } from 'longhaul';

/** The failure of an import that a person called off. */
export function interrupted({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    cause: `interrupted before the end of ${name}: no new session was left behind.`,
    next: 'Run the command again to import it.',
  });
}

/** The same where all was stored already, and only its tokens were still to be counted. */
export function interruptedLate({ name, session }: { readonly name: string; readonly session: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    cause: `interrupted while counting: ${name} is imported, as session ${session}.`,
    next: `Run \`longhaul stats ${session}\` for the numbers.`,
  });
}
