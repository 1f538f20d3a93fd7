/** The names of the files of a session and a budget: what a model is asked, and where its answer is looked for. */
export function namesOf({ session, budget }: { readonly session: string; readonly budget: number }): {
  readonly request: (strategy: string) => string;
  readonly answer: string;
} {
  const base = `${session.replace(/[^\w.-]+/g, '_')}.${budget}`;
  return { request: (strategy) => `${base}.${strategy}.json`, answer: `${base}.md` };
}
