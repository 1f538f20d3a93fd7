/** What JSX compiled with `jsxImportSource` imports while developing. */
export { Fragment, type JSX, jsxDEV } from './jsx.ts';
