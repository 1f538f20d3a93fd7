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
    pressure(passage) {
      const stretch = Math.sqrt(1 + at(stretchTokens, stretchOf(passage)) / fairShare);
      const part = 1 + at(partTokens, passage.place) / partShare;
      const series = 1 + at(seriesLines, passage.series) / seriesShare;
      return inSteps({ pressure: stretch, step: smallStep }) * inSteps({ pressure: part * series, step: largeStep });
    },
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

/** All lines of a part feel its pressure: if it rose with each of them, each would have to be looked at after each. */
function inSteps({ pressure, step }: { readonly pressure: number; readonly step: number }): number {
  return step ** Math.floor(Math.log(pressure) / Math.log(step));
}
const smallStep = 1.05;
const largeStep = 1.5;

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
