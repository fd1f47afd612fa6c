#!/usr/bin/env node
// Plain JavaScript without newer syntax, such as a top-level await: on a Node that is too old it must still say so.
const required = 24;
const found = process.versions.node;

if (Number(found.split('.')[0]) < required) {
  process.stderr.write(
    `agent-platform-exporter: needs Node.js ${required} or newer, but this is ${found}\n` +
      '  install it from https://nodejs.org, or use the container image\n',
  );
  process.exitCode = 2;
} else {
  Promise.all([import('node:module'), import('node:fs')])
    .then(([module, fs]) => {
      module.enableCompileCache();
      // A checkout has no build: Node runs its TypeScript as it is.
      const built = new URL('../dist/main.js', import.meta.url);
      return import(fs.existsSync(built) ? built.href : new URL('../src/main.ts', import.meta.url).href);
    })
    .catch((error) => {
      process.stderr.write(`agent-platform-exporter: ${error instanceof Error ? error.stack : error}\n`);
      process.exitCode = 1;
    });
}
