// Writes V8's code cache of a bundle. Run by the Node.js that will run the bundle: no other one takes it.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { basename, dirname } = require('node:path');
const { Script, constants } = require('node:vm');

const [, , source, cache] = process.argv;
const script = new Script(readFileSync(source, 'utf8'), {
  filename: basename(source),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
function required(name) {
  return name.startsWith('node:') ? { ...require(name), default: require(name) } : require(name);
}
const bundle = { exports: {} };
// Loaded once, so that the functions that loading calls are in the cache too.
script.runInThisContext()(bundle.exports, required, bundle, source, dirname(source));
writeFileSync(cache, script.createCachedData());
process.exit(0);
