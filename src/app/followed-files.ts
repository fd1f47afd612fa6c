import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Deployment } from './deployment.ts';

/** Problems of the watched files, by kind of file. */
type Problems = ReadonlyMap<string, { readonly message: string; readonly hint?: string | undefined }>;

/** Watches the files that a configuration names: teams, the hash key, API keys. */
interface FollowedFiles {
  /**
   * Reads changed files about people again, and reports every unusable file. Such a file keeps its last good value and
   * does not block others. Never rejects.
   */
  follow(deployment: Deployment): Promise<void>;
}

/** Creates the watcher; `note` records why a file is not in use, or that it is in use again. */
export function createFollowedFiles(
  log: Logger,
  note: (name: string, problem: string | undefined) => void,
): FollowedFiles {
  let last: Problems = new Map();
  return {
    async follow(deployment) {
      const now = new Map([...(await problemsOfPeople(deployment)), ...problemsOfKeys(deployment)]);
      for (const [name, { message, hint }] of now) {
        if (last.get(name)?.message === message) continue;
        log.error('Watched file unusable; keeping its last good value', {
          what: name,
          error: message,
          hint,
        });
        note(name, message);
      }
      for (const name of last.keys()) if (!now.has(name)) note(name, undefined);
      last = now;
    },
  };
}

async function problemsOfPeople({ config }: Deployment): Promise<Problems> {
  try {
    await config.people.refresh();
    return new Map();
  } catch (error) {
    const hint = error instanceof ConfigError ? error.hint : undefined;
    return new Map([['the files about people', { message: messageOf(error), hint }]]);
  }
}

/** Key files are checked before each request; this only collects the results. */
function problemsOfKeys({ orgs }: Deployment): Problems {
  const problems = [...orgs].map(([org, { connection }]) => [org, connection.credential.problem()] as const);
  return new Map(
    problems.flatMap(([org, message]) =>
      message === undefined
        ? []
        : [[`the key file of ${org}`, { message, hint: 'write a valid API key to the file' }]],
    ),
  );
}
