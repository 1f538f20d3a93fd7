/** Imported by JSX compiled with `jsxImportSource`. */
export { Fragment, type JSX, jsx, jsxs } from './jsx.ts';
