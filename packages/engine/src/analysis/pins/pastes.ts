/** Beginnings of lines printed by programs. */
const printed =
  /^\s*(?:at \S+ ?\(|File "|Traceback \(|\d{1,6}(?:[|→:]|\t)|[+-]{1,3}\s?\d|@@ |diff --git|[➜❯⏺⎿●✓✗✔✘×✖»⠇]|\$ |#\d+ |\[[^\]]{1,60}\](?!\()|\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d|npm (?:ERR|WARN|error)|[│├└╭╰╮╯─━═▌┃]|[{}]|"[\w.-]{1,60}":|<\/?[a-z!]|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|fatal|error|remote|hint|E {2,})\b ?[:[ ])/;

/** Source positions in compiler messages and stack traces. */
const place = /\.[a-z]{1,5}(?::\d+(?::\d+)?|\(\d+,\d+\))/i;

/**
 * Whether a paragraph is pasted output of a program or a screen: typical line beginnings, source positions, or lines padded
 * to the width of a terminal.
 */
export function isPasted(lines: readonly string[]): boolean {
  const odd = lines.filter((line) => printed.test(line) || place.test(line) || /\S {6,}$/.test(line)).length;
  return odd * 5 >= lines.length * 2;
}
