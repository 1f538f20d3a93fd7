/** Imported by JSX compiled with `jsxImportSource`. */

export { Fragment, type JSX } from '../jsx.ts';
export { jsx, jsxs } from './factory.ts';
