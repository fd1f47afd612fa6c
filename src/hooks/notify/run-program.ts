import type { RunProgram } from './notice.ts';

const mostSaid = 200;

/** Runs programs of this machine; the signal ends them. */
export function createRunProgram(signal: AbortSignal): RunProgram {
  return (program, args) =>
    new Promise((resolve, reject) => {
      const { spawn } = process.getBuiltinModule('node:child_process');
      const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], signal, windowsHide: true });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (said.length < mostSaid) said += text;
      });
      child.on('error', (error: NodeJS.ErrnoException) => {
        reject(
          new Error(`${program}: ${error.code === 'ENOENT' ? 'not installed' : (error.code ?? 'failed')}`),
        );
      });
      child.on('close', (code) => {
        if (code === 0) resolve();
        else
          reject(
            new Error(
              `${program}: ${said.trim().split('\n', 1)[0]?.slice(0, mostSaid) || `ended with ${code}`}`,
            ),
          );
      });
    });
}
