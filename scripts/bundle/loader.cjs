// The main script of the single executable: Node.js takes nothing but CommonJS there. It runs one of two bundles, each
// with V8's code cache, so that the hook command loads nothing of the rest.
'use strict';
const { getAsset, getRawAsset } = require('node:sea');
const { dirname } = require('node:path');
const { Script, constants } = require('node:vm');

// Node's own modules as the bundles ask for them, each loaded with its first use: all at once they take the hook command
// longer than its own work.
function lazily(name) {
  if (!name.startsWith('node:')) return require(name);
  return new Proxy(
    {},
    { get: (_, member) => (member === 'default' ? require(name) : require(name)[member]) },
  );
}

const args = process.argv.slice(2);
// As bin/agent-platform-exporter.js has it.
const isHook =
  args[0] === 'hook' &&
  !args.some((argument) => /^(-h|--(no-)?(help|check|test|flush)(=.*)?)$/.test(argument));

if (args.length === 1 && args[0] === '--licenses') {
  process.stdout.write(getAsset('licenses.txt', 'utf8'));
} else {
  const name = isHook ? 'hook' : 'main';
  const script = new Script(getAsset(`${name}.js`, 'utf8'), {
    filename: `${name}.js`,
    cachedData: Buffer.from(getRawAsset(`${name}.cache`)),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const bundle = { exports: {} };
  script.runInThisContext()(bundle.exports, lazily, bundle, process.execPath, dirname(process.execPath));
  const run = isHook ? bundle.exports.hook(args.slice(1)) : bundle.exports.main(args);
  run.catch((error) => {
    process.stderr.write(`agent-platform-exporter: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = isHook ? 0 : 1;
  });
}
