/**
 * The sections of a summary, in their order.
 *
 * @example
 * const headings = sectionNames.map((name) => `## ${name}`);
 */
export const sectionNames = [
  'overview',
  'technical foundation',
  'codebase status',
  'problem resolution',
  'progress',
  'active work',
  'recent operations',
  'continuation plan',
] as const;

export type SectionName = (typeof sectionNames)[number];

/** Text by section, as paragraphs or list items. */
export type Sections = Partial<Readonly<Record<SectionName, readonly string[]>>>;
