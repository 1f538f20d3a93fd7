import type { Passage, Reading } from './reading.ts';

/** Who has been heard how much, so that nobody takes everything. */
export interface Crowd {
  /** By how much a line is worth less for the company it would be in. */
  pressure(passage: Passage): number;
  /** Whether a line of its part was taken. */
  isOpen(passage: Passage): boolean;
  add(line: { readonly passage: Passage; readonly tokens: number }): void;
}

/** A part that has given so many tokens counts half. */
const partShare = 250;
/** After so many lines of a table, log or list the next counts half: a few show what the rest is like. */
const seriesShare = 4;
/** The session in so many stretches; one that has its fair share counts less, so that early facts survive. */
const stretches = 12;

export function createCrowd({ reading, budget }: { readonly reading: Reading; readonly budget: number }): Crowd {
  const length = (reading.passages.at(-1)?.start ?? 0) + 1;
  const fairShare = Math.max(1, budget / stretches);
  const stretchTokens = new Float64Array(stretches);
  const partTokens = new Float64Array(reading.places);
  const seriesLines = new Float64Array(reading.series);
  return {
    pressure: (passage) =>
      Math.sqrt(1 + at(stretchTokens, stretchOf(passage)) / fairShare) *
      (1 + at(partTokens, passage.place) / partShare) *
      (1 + at(seriesLines, passage.series) / seriesShare),
    isOpen: ({ place }) => at(partTokens, place) > 0,
    add({ passage, tokens }) {
      stretchTokens[stretchOf(passage)] = at(stretchTokens, stretchOf(passage)) + tokens;
      partTokens[passage.place] = at(partTokens, passage.place) + tokens;
      seriesLines[passage.series] = at(seriesLines, passage.series) + 1;
    },
  };

  function stretchOf({ start }: Passage): number {
    return Math.min(stretches - 1, Math.floor((start / length) * stretches));
  }
}

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
