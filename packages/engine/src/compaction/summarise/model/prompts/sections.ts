import { type SectionName, sectionNames } from '../../../extract/document/sections.ts';

/** What each section is for. */
const purposes: Readonly<Record<SectionName, string>> = {
  overview: 'What the work is for, and how that changed on the way. Two to five sentences.',
  'technical foundation': 'Languages, frameworks, versions, architecture, conventions, and why they were chosen.',
  'codebase status': 'For each file that matters: what it does, what was changed in it and why, what state it is in.',
  'problem resolution':
    'What went wrong, what the cause was, what solved it; what was tried in vain, and what is not yet understood.',
  progress: 'What is finished and how that was checked; what is half done; what was given up, and why.',
  'active work': 'What was being done at the very end, down to the function, the command, the value.',
  'recent operations': 'The last steps and what came of them, with their results in figures.',
  'continuation plan':
    'What comes next, in order, precisely enough to begin without asking. What was decided stays decided.',
};

/** The sections as the model is to write them. */
export function outline(): string {
  return sectionNames
    .map((name) => `## ${name.charAt(0).toUpperCase()}${name.slice(1)}\n(${purposes[name]})`)
    .join('\n');
}
