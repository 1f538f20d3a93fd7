import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Project } from './project.ts';
import { extension, vscode } from './prompts.ts';

const greeting = `
import { PromptElement, PromptMetadata, SystemMessage, TextChunk, UserMessage } from 'longhaul/prompt/compat';

class Seen extends PromptMetadata {}

export class Greeting extends PromptElement<{ name: string }> {
  render() {
    return (
      <>
        <SystemMessage priority={10}>
          Be kind.
          <br />
          <meta value={new Seen()} local />
        </SystemMessage>
        <UserMessage>
          {this.props.name && <TextChunk breakOnWhitespace>Hello {this.props.name}</TextChunk>}
        </UserMessage>
      </>
    );
  }
}

export const piece = <Greeting name="Ada" flexGrow={1} />;
// @ts-expect-error: the name is missing.
export const nameless = <Greeting />;
// @ts-expect-error: there is no such tag.
export const unknown = <marquee />;
`;

/** As React declared its types for years: globally, with tags of its own. */
const react = `
export {};
declare global {
  namespace JSX {
    interface Element { type: string; key: string | null }
    interface IntrinsicElements { div: { id?: string } }
  }
}
`;

let project: Project;
beforeAll(() => {
  project = new Project({ packages: ['@types/node', '@vscode/prompt-tsx'] });
});
afterAll(() => project[Symbol.dispose]());

describe('the declarations of the built package, with all of them checked', () => {
  const classic = { jsx: 'react', jsxFactory: 'vscpp', jsxFragmentFactory: 'vscppf' };
  const automatic = { jsx: 'react-jsx', jsxImportSource: 'longhaul/prompt/compat' };

  it.each([
    { what: 'classic JSX of compat', options: classic, files: {} },
    { what: 'classic JSX of compat with the global types of React', options: classic, files: { 'react.ts': react } },
    { what: 'the automatic runtime of compat', options: automatic, files: {} },
    {
      what: 'the automatic runtime of compat while developing',
      options: { ...automatic, jsx: 'react-jsxdev' },
      files: {},
    },
    {
      what: 'the automatic runtime with the global types of React',
      options: automatic,
      files: { 'react.ts': react },
    },
  ])('$what', ({ options, files }) => {
    expect(project.complaints({ files: { 'greeting.tsx': greeting, ...files }, options })).toEqual([]);
  });

  it('the automatic runtime of the own entry', () => {
    const files = { 'greeting.tsx': greeting.replaceAll('longhaul/prompt/compat', 'longhaul/prompt') };
    const options = { jsx: 'react-jsx', jsxImportSource: 'longhaul/prompt', types: ['node'] };
    expect(project.complaints({ files, options })).toEqual([]);
  });
});

describe('an extension that was written for prompt-tsx', () => {
  const options = { jsx: 'react', jsxFactory: 'vscpp', jsxFragmentFactory: 'vscppf', skipLibCheck: true };
  const compiled = (source: string) =>
    project.complaints({ files: { 'vscode.d.ts': vscode, 'extension.tsx': source }, options });

  it('compiles with prompt-tsx', () => {
    expect(compiled(extension)).toEqual([]);
  });

  it('compiles after its import was changed', () => {
    expect(compiled(extension.replace('@vscode/prompt-tsx', 'longhaul/prompt/compat'))).toEqual([]);
  });
});
