import { readFileSync } from 'node:fs';
import { createHaystack, type Haystack, jsonOf, stringsIn } from './haystack.ts';
import { type Spoken, spokenIn } from './spoken.ts';

/** A session file as it is, read without any of the readers. */
export interface RawFile {
  /** What people and tools say in it, as far as its shape tells. */
  readonly spoken: readonly Spoken[];
  /** Everything in it. */
  readonly all: Haystack;
}

/** Reads a file of JSON or of JSON lines by its values, any other by its lines. */
export function readRaw(path: string): RawFile {
  const file = readFileSync(path, 'utf8');
  const whole = jsonOf(file);
  const values = whole === undefined ? file.split('\n').flatMap((line) => jsonOf(line) ?? []) : [whole];
  if (values.length === 0) return readMarked(file);
  return {
    spoken: values.flatMap((value) => [...spokenIn(value)]),
    all: createHaystack(values.flatMap((value) => [...stringsIn(value)])),
  };
}

/** Markdown whose lines carry marks: headings are of people, quotations of tools. Only lines can be compared. */
function readMarked(file: string): RawFile {
  const lines = file.split('\n');
  const marked = ({ mark, speaker }: { readonly mark: string; readonly speaker: Spoken['speaker'] }) =>
    lines
      .filter((line) => line.startsWith(mark) && line.trim() !== mark.trim())
      .map((line) => ({ speaker, text: line.slice(mark.length).trimEnd() }));
  return {
    spoken: [...marked({ mark: '#### ', speaker: 'human' }), ...marked({ mark: '> ', speaker: 'tool' })],
    all: { has: (text) => text.split('\n').every((line) => file.includes(line)) },
  };
}
