/** Says in `npm run soak` how much was tried; `npm test` stays quiet. */
export function tell(line: string): void {
  if (Number(process.env.SOAK_FACTOR ?? 1) > 1) console.log(line);
}
