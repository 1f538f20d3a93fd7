/** Imported by JSX compiled with `jsxImportSource` in development mode. */
export { Fragment, type JSX, jsxDEV } from './jsx.ts';
