/** What JSX compiled with `jsxImportSource` imports while developing. */

export { Fragment, type JSX } from '../jsx.ts';
export { jsxDEV } from './factory.ts';
