#!/usr/bin/env node
// Plain JavaScript without newer syntax, such as a top-level await: on a Node that is too old it must still say so.
const required = 24;
const found = process.versions.node;
const args = process.argv.slice(2);
// As an agent runs it. What it fails for must not stop the agent, so that it always ends with 0.
const isHook =
  args[0] === 'hook' &&
  !args.some((argument) => /^(-h|--(no-)?(help|check|test|flush)(=.*)?)$/.test(argument));

if (Number(found.split('.')[0]) < required) {
  process.stderr.write(
    `agent-platform-exporter: needs Node.js ${required} or newer, but this is ${found}\n` +
      '  install it from https://nodejs.org, or use the container image\n',
  );
  process.exitCode = isHook ? 0 : 2;
} else {
  // Without Node's compile cache: it saves 5 ms of a hook and 50 ms of the rest, and is by default a directory of TMPDIR,
  // where another user of the machine can plant code.
  // A checkout has no build: Node runs its TypeScript as it is.
  const built = process.getBuiltinModule('node:fs').existsSync(new URL('../dist/main.js', import.meta.url));
  const source = isHook ? '../src/hook.ts' : '../src/main.ts';
  const program = isHook ? '../dist/agent/hook.cjs' : '../dist/main.js';
  import(new URL(built ? program : source, import.meta.url).href)
    .then((entered) => (isHook ? entered.hook(args.slice(1)) : undefined))
    .catch((error) => {
      process.stderr.write(`agent-platform-exporter: ${error instanceof Error ? error.stack : error}\n`);
      process.exitCode = isHook ? 0 : 1;
    });
}
