import { Session } from 'node:inspector';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** The code that ran on a road. */
export interface Walked {
  /** Paths below the repository, sorted. */
  readonly files: readonly string[];
  readonly functions: number;
}

/** Follows which functions of `src` run in this process, by V8's precise coverage. */
export interface Coverage {
  /** Runs a road and resolves with its code, once everything that it has begun has ended. */
  follow(road: () => Promise<void>): Promise<Walked>;
  /** Runs code of `src` that is no part of a road; what it leaves for later turns of the event loop counts. */
  aside<Result>(work: () => Result): Result;
  stop(): void;
}

/** Starts to follow. The simulated platform is not followed: it is no part of the exporter. */
export function startCoverage(): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  let functionsByFile = new Map<string, Set<string>>();

  /** Adds what has run since the last call. */
  function collect(): void {
    session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result) {
        const file = exporterFile(url);
        if (file === undefined) continue;
        for (const { functionName, ranges } of functions) {
          const [whole] = ranges;
          // V8 makes a function of the fields of a class, which nobody has written: `<instance_members_initializer>`.
          if (whole === undefined || whole.count === 0 || functionName.startsWith('<')) continue;
          const found = functionsByFile.get(file) ?? new Set();
          functionsByFile.set(file, found.add(`${whole.startOffset} ${whole.endOffset}`));
        }
      }
    });
  }

  function discard(): void {
    const kept = functionsByFile;
    functionsByFile = new Map();
    collect();
    functionsByFile = kept;
  }

  return {
    async follow(road) {
      discard();
      functionsByFile = new Map();
      await road();
      collect();
      const functions = [...functionsByFile.values()].reduce((sum, { size }) => sum + size, 0);
      return { files: [...functionsByFile.keys()].sort(), functions };
    },
    aside(work) {
      collect();
      try {
        return work();
      } finally {
        discard();
      }
    },
    stop: () => session.disconnect(),
  };
}

function exporterFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = path.relative(ROOT, fileURLToPath(url)).split(path.sep).join('/');
  return file.startsWith('src/') && !file.startsWith('src/sandbox/') ? file : undefined;
}
