import { runProgram } from './commands/program.ts';

// The exit code is set instead of exiting: data written to a pipe must still be flushed.
process.exitCode = await runProgram(process.argv.slice(2));
