import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A registry of npm packages on loopback that holds one package. */
export interface NpmRegistry {
  readonly url: string;
  readonly versions: Record<string, unknown>;
  readonly tags: Record<string, string>;
  /** Refuses to publish, as a registry without a trusted publisher does. */
  refuses: boolean;
}

interface Document {
  readonly versions: Readonly<Record<string, unknown>>;
  readonly 'dist-tags': Readonly<Record<string, string>>;
}

/** Starts an empty registry; `published` is called with each version and its tag. */
export async function startNpmRegistry(
  published: (version: string, tag: string) => void = () => undefined,
): Promise<NpmRegistry> {
  const versions: Record<string, unknown> = {};
  const tags: Record<string, string> = {};
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      void response.writeHead(status).end(JSON.stringify(body));
    const text = (await request.toArray()).join('');
    const name = decodeURIComponent((request.url ?? '').slice(1));
    if (request.method === 'GET') {
      const isKnown = Object.keys(versions).length > 0;
      return answer(
        isKnown ? 200 : 404,
        isKnown ? { name, versions, 'dist-tags': tags } : { error: 'not found' },
      );
    }
    const { versions: added, 'dist-tags': named } = JSON.parse(text) as Document;
    if (registry.refuses || Object.keys(added).some((version) => version in versions))
      return answer(403, { error: 'refused' });
    Object.assign(versions, added);
    Object.assign(tags, named);
    for (const [tag, version] of Object.entries(named)) published(version, tag);
    answer(201, {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => void server.close());
  const registry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    versions,
    tags,
    refuses: false,
  };
  return registry;
}
