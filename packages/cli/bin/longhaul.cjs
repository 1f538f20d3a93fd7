#!/usr/bin/env node
'use strict';

/**
 * Starts the command. This file is CommonJS in old syntax: an old Node must be able to read it, and it costs less to load
 * than a module. Help and version are printed from texts that the build prepared, without loading the program.
 */
const { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeSync } = require('node:fs');
const { join } = require('node:path');

const needed = 24;
const root = join(__dirname, '..');
const packages = join(root, '..');
const main = join(root, 'dist', 'main.js');
const args = process.argv.slice(2);

if (Number.parseInt(process.versions.node, 10) < needed) startWithOtherNode();
else if (!isFresh()) startFromSource();
else if (!printPrepared()) start();

function start() {
  cacheCompiledCode();
  require(main);
}

/** Compiled code is kept in the cache folder of the user, never in a shared one, where others could replace it. */
function cacheCompiledCode() {
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: xdg, HOME: home, LOCALAPPDATA: local } = process.env;
  const folder = process.platform === 'win32' ? local : xdg || (home && join(home, '.cache'));
  // Without a home folder nothing is created.
  if (chosen || !folder || !existsSync(home || folder)) return;
  require('node:module').enableCompileCache(join(folder, 'longhaul', 'compiled'));
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

/** In a clone: whether the build of each package is newer than its sources. An installed package has only the build. */
function isFresh() {
  if (!existsSync(join(root, 'tsdown.config.ts'))) return true;
  const built = [
    ['cli/dist/prepared.json', ['cli', 'engine']],
    ['engine/dist/index.js', ['engine']],
    ['workspace/dist/search/index.js', ['workspace']],
    ['gateway/dist/index.js', ['gateway']],
  ];
  const changed = {};
  return built.every(([file, names]) => {
    const facts = statSync(join(packages, file), { throwIfNoEntry: false });
    if (!facts) return false;
    return names.every((name) => {
      if (changed[name] === undefined) changed[name] = newestIn(join(packages, name, 'src'));
      return changed[name] < facts.mtimeMs;
    });
  });
}

/** When a source file in a folder was last changed. */
function newestIn(folder) {
  let newest = 0;
  for (const name of readdirSync(folder)) {
    if (name.includes('.test.')) continue;
    const path = `${folder}/${name}`;
    // Folders have no dot in their names, which saves asking for each.
    const changed = name.includes('.') ? statSync(path).mtimeMs : newestIn(path);
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
