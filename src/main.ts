import { runProgram } from './program.ts';

// The code is set rather than the process ended: what was written to a pipe still has to leave.
process.exitCode = await runProgram(process.argv.slice(2));
