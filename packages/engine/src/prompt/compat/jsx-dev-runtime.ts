/** Imported by JSX compiled with `jsxImportSource` in development mode. */

export { Fragment, type JSX } from '../jsx.ts';
export { jsxDEV } from './factory.ts';
