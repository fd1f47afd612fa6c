import type { Watched } from '../config/followed.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Deployments } from './deployments.ts';

/** The files of a deployment that apply without a reload: about people, and the API keys. */
export function* filesOf({ inUse, followPeople }: Deployments): Iterable<Watched> {
  yield { name: 'the files about people', look: followPeople };
  for (const [org, { connection }] of inUse().orgs) {
    yield {
      name: `the key file of ${org}`,
      // Key files are read before each request; this only collects the results.
      async look() {
        const problem = connection.credential.problem();
        if (problem !== undefined) throw new ConfigError(problem, 'write a valid API key to the file');
        return false;
      },
    };
  }
}
