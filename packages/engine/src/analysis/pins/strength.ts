/**
 * How clearly a sentence sets a rule: explicitly, by its wording, or only as part of a text that must be followed as a
 * whole.
 */
export type RuleStrength = 'strong' | 'weak' | 'stated';
