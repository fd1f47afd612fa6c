// The main script of the single executable: Node.js takes nothing but CommonJS there. It runs one of two bundles, each
// with V8's code cache, so that the hook command loads nothing of the rest.
'use strict';
const { getAsset, getRawAsset } = require('node:sea');
const { dirname } = require('node:path');
const { Script, constants } = require('node:vm');

const modules = new Map();

function required(name) {
  if (name.startsWith('./')) return load(name.slice(2));
  return name.startsWith('node:') ? lazily(name) : require(name);
}

// Node's own modules as the bundles ask for them, each loaded with its first use: all at once they take the hook command
// longer than its own work.
function lazily(name) {
  return new Proxy(
    {},
    { get: (_, member) => (member === 'default' ? require(name) : require(name)[member]) },
  );
}

function load(file) {
  const known = modules.get(file);
  if (known !== undefined) return known.exports;
  const script = new Script(getAsset(file, 'utf8'), {
    filename: file,
    cachedData: Buffer.from(getRawAsset(`${file}.cache`)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const bundle = { exports: {} };
  modules.set(file, bundle);
  script.runInThisContext()(bundle.exports, required, bundle, process.execPath, dirname(process.execPath));
  return bundle.exports;
}

const args = process.argv.slice(2);
// As bin/agent-platform-exporter.js has it.
const isHook =
  args[0] === 'hook' &&
  !args.some((argument) => /^(-h|--(no-)?(help|check|test|flush)(=.*)?)$/.test(argument));
if (args[0] === 'serve') process.on('SIGHUP', () => undefined);
process.on('SIGUSR1', () => undefined);

if (args.length === 1 && args[0] === '--licenses') {
  process.stdout.write(getAsset('licenses.txt', 'utf8'));
} else {
  const run = isHook ? load('hook.js').hook(args.slice(1)) : load('main.js').main(args);
  run.catch((error) => {
    process.stderr.write(`agent-platform-exporter: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = isHook ? 0 : 1;
  });
}
