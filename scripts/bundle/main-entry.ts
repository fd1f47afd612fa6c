// The entry of the single executable for every command except an agent's `hook`.
import { runProgram } from '../../src/commands/program.ts';

/** Runs the program and sets the exit code. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runProgram(args);
}
