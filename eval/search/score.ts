/** A question with the files that answer it. */
export interface Question {
  readonly query: string;
  readonly relevant: readonly string[];
}

/** How well rankings of files answer questions. */
export interface Score {
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly mrr: number;
}

/** A question counts as answered at k if one of its files is among the first k. */
export async function scoreOf(of: {
  readonly questions: readonly Question[];
  readonly search: (query: string) => readonly string[] | Promise<readonly string[]>;
}): Promise<Score> {
  const ranks: number[] = [];
  for (const { query, relevant } of of.questions) {
    const paths = await of.search(query);
    ranks.push(paths.findIndex((path) => relevant.includes(path)) + 1);
  }
  const share = (most: number) => (100 * ranks.filter((rank) => rank > 0 && rank <= most).length) / ranks.length;
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 && rank <= 10 ? 1 / rank : 0), 0) / ranks.length;
  return { hit1: share(1), hit5: share(5), hit10: share(10), mrr };
}

export function line({ name, score }: { readonly name: string; readonly score: Score }): string {
  const percents = [score.hit1, score.hit5, score.hit10].map((value) => value.toFixed(1).padStart(6));
  return `${name.padEnd(34)}${percents.join('')}  ${score.mrr.toFixed(3)}`;
}
