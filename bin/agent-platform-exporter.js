#!/usr/bin/env node
// Plain CommonJS without newer syntax: on a Node that is too old it must still say so. An agent waits for the hook command,
// and a start without ES modules takes a twentieth less of its time.
const required = 24;
const found = process.versions.node;
const args = process.argv.slice(2);
// As an agent runs it. What it fails for must not stop the agent, so that it always ends with 0.
const isHook =
  args[0] === 'hook' &&
  !args.some((argument) => /^(-h|--(no-)?(help|check|test|flush)(=.*)?)$/.test(argument));
// From the first moment on: the signal to reload would end the process, which systemd takes for a clean end. The
// configuration is read later.
if (args[0] === 'serve') process.on('SIGHUP', () => undefined);
// Node's own handler would open its debugger on a port of this machine.
process.on('SIGUSR1', () => undefined);

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
  const built = require('node:fs').existsSync(`${__dirname}/../dist/main.js`);
  const load = async () => {
    if (isHook) await require(built ? '../dist/agent/hook.cjs' : '../src/hook.ts').hook(args.slice(1));
    else await import(built ? '../dist/main.js' : '../src/main.ts');
  };
  load().catch((error) => {
    process.stderr.write(`agent-platform-exporter: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = isHook ? 0 : 1;
  });
}
