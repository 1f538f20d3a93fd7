#!/usr/bin/env node
'use strict';

/**
 * Starts the command. This file is CommonJS in old syntax: an old Node must be able to read it, and it costs less to load
 * than a module. Help and version are printed from texts that the build prepared, without loading the program.
 */
const {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = require('node:fs');
const { dirname, join } = require('node:path');

const needed = 24;
/** Files of compiled code: several versions of the program and of Node may be in use. */
const keptFiles = 8;
const root = join(__dirname, '..');
const packages = join(root, '..');
const main = join(root, 'dist', 'main.js');
const args = process.argv.slice(2);
/** Flags alone are the agent's: `longhaul -p "…"`. */
const isAgent = args.length === 0 || args[0].startsWith('-');

if (Number.parseInt(process.versions.node, 10) < needed) startWithOtherNode();
else if (!isFresh()) startFromSource();
else if (!printPrepared()) start();

function start() {
  const folder = cacheFolder();
  if (!folder) return require(main);
  // For the files that a command loads later.
  require('node:module').enableCompileCache(folder);
  startCompiled(folder);
}

/** Compiled code is kept in the cache folder of the user, never in a shared one, where others could replace it. */
function cacheFolder() {
  const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: off, HOME: home } = process.env;
  const { XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  const folder = process.platform === 'win32' ? local : xdg || (home && join(home, '.cache'));
  // Without a home folder nothing is created.
  if (chosen || off || !folder || !existsSync(home || folder)) return undefined;
  return join(folder, 'longhaul', 'compiled');
}

/**
 * Runs the program from code that an earlier run compiled. Node's own cache keeps only what is compiled before a file is
 * executed; functions compiled when they are first called, which are most, would be compiled in each run. The agent and
 * the other commands call different ones.
 */
function startCompiled(folder) {
  const { Script, constants } = require('node:vm');
  const kind = isAgent ? 'agent' : 'command';
  // V8 itself rejects code of another version of V8, and compares only the length of the source.
  const { mtimeMs, size } = statSync(main);
  const path = join(folder, `${kind}-${process.version}-${process.arch}-${mtimeMs}-${size}`);
  const kept = readIfPresent(path);
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(main, 'latin1')}\n})`;
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  // With the first import Node warns that this is experimental: users can do nothing about it.
  const { emitWarning } = process;
  process.emitWarning = (warning, ...rest) => {
    if (!String(warning).includes('USE_MAIN_CONTEXT_DEFAULT_LOADER')) emitWarning.call(process, warning, ...rest);
  };
  const script = new Script(source, { filename: main, cachedData: kept, importModuleDynamically });
  // Files that are loaded later require this one.
  const file = require.resolve(main);
  const loaded = { id: file, filename: file, exports: {}, children: [], paths: [], loaded: true };
  require.cache[file] = loaded;
  const requireFrom = require('node:module').createRequire(file);
  script.runInThisContext().call(loaded.exports, loaded.exports, requireFrom, loaded, file, dirname(file));
  if (!kept || script.cachedDataRejected) process.once('exit', (code) => keepCompiled({ script, folder, path, code }));
}

/** Keeps what a run has compiled, if it has done its work: one that ends early has called too little. */
function keepCompiled({ script, folder, path, code }) {
  if (code === 2) return;
  const draft = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    // Synced before it has its name: V8 does not notice damage.
    writeFileSync(draft, script.createCachedData(), { flush: true, mode: 0o600 });
    renameSync(draft, path);
    removeOldest(folder);
  } catch (_) {
    // Without the cache everything works, only slower.
    rmSync(draft, { force: true });
  }
}

function removeOldest(folder) {
  const files = readdirSync(folder)
    .filter((name) => /^(?:agent|command)-/.test(name))
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }));
  files.sort((a, b) => b.at - a.at);
  for (const { path } of files.slice(keptFiles)) rmSync(path, { force: true });
}

function readIfPresent(path) {
  try {
    return readFileSync(path);
  } catch (_) {
    return undefined;
  }
}

/** Prints the help or the version, if that is all that is asked and the prepared text fits the terminal. */
function printPrepared() {
  const [first = ''] = args;
  if (args.length !== 1 || !['--version', '--help', '-h'].includes(first)) return false;
  if (first !== '--version' && columns() < 100) return false;
  const { version, help } = JSON.parse(readFileSync(join(root, 'dist', 'prepared.json'), 'utf8'));
  print(first === '--version' ? `${version}\n` : help);
  return true;
}

function columns() {
  const { COLUMNS: chosen = '' } = process.env;
  if (/^[1-9]\d*$/.test(chosen)) return Number(chosen);
  return require('node:tty').isatty(1) ? process.stdout.columns || 100 : 100;
}

function print(text) {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written);
  } catch (error) {
    // A reader that has closed the pipe is no failure; one that is slow gets the rest from the stream.
    if (error.code === 'EAGAIN') process.stdout.write(bytes.subarray(written));
    else if (error.code !== 'EPIPE') throw error;
  }
}

/**
 * In a clone: whether the build of each package is newer than its sources. An installed package has only the build. The
 * agent does not wait for what only other commands load.
 */
function isFresh() {
  if (!existsSync(join(root, 'tsdown.config.ts'))) return true;
  const built = isAgent
    ? [
        ['cli/dist/prepared.json', ['cli', 'engine']],
        ['workspace/dist/search/index.js', ['workspace']],
      ]
    : [
        ['cli/dist/prepared.json', ['cli', 'engine']],
        ['engine/dist/index.js', ['engine']],
        ['workspace/dist/search/index.js', ['workspace']],
        ['gateway/dist/index.js', ['gateway']],
      ];
  const others = isAgent ? ['adapters', 'fixtures', 'prompt', 'proof', 'testing'] : ['fixtures', 'proof'];
  const changed = {};
  return built.every(([file, names]) => {
    const facts = statSync(join(packages, file), { throwIfNoEntry: false });
    if (!facts) return false;
    return names.every((name) => {
      if (changed[name] === undefined) changed[name] = newestIn(join(packages, name, 'src'), others);
      return changed[name] < facts.mtimeMs;
    });
  });
}

/** When a source file in a folder was last changed. */
function newestIn(folder, others) {
  let newest = 0;
  for (const name of readdirSync(folder)) {
    if (name.includes('.test.') || others.includes(name)) continue;
    const path = `${folder}/${name}`;
    // Folders have no dot in their names, which saves asking for each.
    const changed = name.includes('.') ? statSync(path).mtimeMs : newestIn(path, others);
    if (changed > newest) newest = changed;
  }
  return newest;
}

function startFromSource() {
  const source = ['--conditions=longhaul-source', join(root, 'src', 'main.ts')];
  replaceProcess(process.execPath, source);
}

/** A clone has a Node of its own; LONGHAUL_NODE names one for an installed package. */
function startWithOtherNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const { LONGHAUL_NODE: chosen } = process.env;
  const bundled = existsSync(join(root, 'tsdown.config.ts')) ? join(packages, '..', 'node_modules', '.bin', name) : '';
  const other = [chosen, bundled].find((path) => path && existsSync(path));
  if (other) return replaceProcess(other, [__filename]);
  console.error(
    `longhaul needs Node ${needed} or newer; this is Node ${process.versions.node}. Install it from https://nodejs.org, or set LONGHAUL_NODE to the path of a newer Node.`,
  );
  process.exitCode = 2;
}

/** Continues in another program: in place of this process where Node can do that, otherwise in a child. */
function replaceProcess(file, first) {
  if (typeof process.execve === 'function' && process.platform !== 'win32') {
    process.execve(file, [file, ...first, ...args], process.env);
  }
  const child = require('node:child_process').spawn(file, [...first, ...args], { stdio: 'inherit' });
  clearEnvironment();
  // A terminal sends Ctrl-C to both processes; other signals only to this one.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`longhaul: ${file} cannot be started: ${error.message}`);
    process.exitCode = 2;
  });
  child.on('close', (code, signal) => {
    if (!signal) process.exitCode = code;
    else {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

/** A command of the agent can read the environment of its parents: keys must not stay in this process. */
function clearEnvironment() {
  if (process.platform !== 'linux') return;
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1')
      .replace(/^[\s\S]*\) /, '')
      .split(' ');
    // `env_start` and `env_end` are the fields 50 and 51 of proc(5); the third is the first after the name.
    const [start, end] = [Number(fields[47]), Number(fields[48])];
    const memory = openSync('/proc/self/mem', 'r+');
    writeSync(memory, Buffer.alloc(end - start), 0, end - start, start);
    closeSync(memory);
  } catch (_) {
    // No /proc, or the kernel does not allow it.
  }
}
