/**
 * How surely a sentence is meant to hold from now on: said so, implied by its wording, or only part of a text that is to be
 * followed as a whole.
 */
export type RuleStrength = 'strong' | 'weak' | 'stated';
