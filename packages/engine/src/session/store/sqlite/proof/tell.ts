/** Says in `npm run soak` how much was tried; `npm test` stays quiet. */
export function tell(line: string): void {
  if (process.env.SOAK_FACTOR !== undefined) console.log(line);
}
