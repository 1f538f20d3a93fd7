/** The names of the files of a session and a budget: what a model is asked, and where its answer is looked for. */
export function namesOf({ session, budget }: { readonly session: string; readonly budget: number }): {
  readonly request: (rung: string) => string;
  readonly answer: string;
} {
  const base = `${session.replace(/[^\w.-]+/g, '_')}.${budget}`;
  return { request: (rung) => `${base}.${rung}.json`, answer: `${base}.md` };
}
