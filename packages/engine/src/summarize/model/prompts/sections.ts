import { type SectionName, sectionNames } from '../../../analysis/index.ts';

/** What each section is for. */
const purposes: Readonly<Record<SectionName, string>> = {
  overview: 'The purpose of the work and how it changed. Two to five sentences.',
  'technical foundation':
    'Languages, frameworks, versions, architecture and conventions that matter for the work, with the reasons for them.',
  'codebase status':
    'For each file that you have something to explain about: its role, what was changed in it and why, and its present state.',
  'problem resolution':
    'What went wrong, the cause and the solution; what was tried without success; what is not understood yet.',
  progress: 'What is finished and which result shows it; what is partly done; what was given up and why.',
  'active work': 'What was being done at the very end: the function, the command, the value.',
  'recent operations': 'The last steps and their results, with figures.',
  'continuation plan':
    'The next steps in order, precise enough to start with. A choice that has been made is a fact, not a question: build on it.',
};

/** The sections as the model is to write them. */
export function outline(): string {
  return sectionNames
    .map((name) => `## ${name.charAt(0).toUpperCase()}${name.slice(1)}\n(${purposes[name]})`)
    .join('\n');
}
