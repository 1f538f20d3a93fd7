/** What JSX compiled with `jsxImportSource` imports. */
export { Fragment, type JSX, jsx, jsxs } from './jsx.ts';
