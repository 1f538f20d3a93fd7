/** What JSX compiled with `jsxImportSource` imports. */

export { Fragment, type JSX } from '../jsx.ts';
export { jsx, jsxs } from './factory.ts';
