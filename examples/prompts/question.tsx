import { Chunk, FileLines, SystemMessage, TextChunk, UserMessage } from 'longhaul/prompt';

// A question about code. The files share what the rest leaves, the best of them with twice the weight; when there is still
// too much, whole files go, the least likely first, and never the question.
//
//   longhaul prompt render examples/prompts/question.tsx --budget 300

interface Props {
  readonly question: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export const props: Props = {
  question: 'Why does the login test fail on Mondays?',
  files: [
    { path: 'test/login.test.ts', text: lines("test('a session ends at midnight', async () => {") },
    { path: 'src/session/expiry.ts', text: lines('export function endOfDay(date: Date): Date {') },
    { path: 'src/session/clock.ts', text: lines('export const clock = { now: () => new Date() };') },
  ],
};

export function prompt({ question, files }: Props) {
  return (
    <>
      <SystemMessage priority={100}>
        You find out why code does not do what it should. Name the line, and say how you know.
      </SystemMessage>
      <UserMessage priority={90} flexGrow={1}>
        {files.map(({ path, text }, index) => (
          <FileLines path={path} text={text} priority={10 - index} flexBasis={index === 0 ? 2 : 1} />
        ))}
        <Chunk priority={50}>
          <TextChunk>{question}</TextChunk>
        </Chunk>
      </UserMessage>
    </>
  );
}

/** A file of some length. */
function lines(first: string): string {
  return [first, ...Array.from({ length: 30 }, (_, line) => `  // line ${line + 2} of the file`), '}'].join('\n');
}
