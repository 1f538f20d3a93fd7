/** Cycles through system, light and dark. */
export function nextTheme(): void {
  const { dataset } = document.documentElement;
  const themes = ['', 'light', 'dark'];
  const next = themes[(themes.indexOf(dataset.theme ?? '') + 1) % themes.length];
  if (next === '') delete dataset.theme;
  else dataset.theme = next;
}
