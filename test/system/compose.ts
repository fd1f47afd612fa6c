import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from './image.ts';
import type { Programs } from './programs.ts';

const service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).nullish(),
  environment: z.record(z.string(), z.string().nullable()).optional(),
  ports: z.array(z.looseObject({ host_ip: z.string() })).optional(),
  volumes: z.array(z.looseObject({ type: z.string(), source: z.string(), target: z.string() })).optional(),
});
const project = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()),
});

type Service = z.infer<typeof service>;

/** The configuration that Compose derives from the repository's files. */
export interface Project {
  readonly services: Readonly<Record<string, Service>>;
  /** Names of the volumes that it creates. */
  readonly volumes: readonly string[];
  /** Throws if there is none with this name. */
  service(name: string): Service;
  /** The path in the repository of a path in a service; throws if nothing is mounted there. */
  mounted(name: string, target: string): string;
}

/** Resolves compose.yaml with Compose itself, with an `.env` of this content or without one. */
export async function readProject(programs: Programs, environment?: string): Promise<Project> {
  const folder = programs.folder();
  // A copy, because the repository may have an `.env` of its owner.
  for (const path of ['compose.yaml', 'compose', 'alerts', 'dashboards']) {
    await cp(join(REPOSITORY, path), join(folder, path), { recursive: true });
  }
  if (environment !== undefined) await writeFile(join(folder, '.env'), environment);
  const args = ['--project-directory', folder, 'config', '--format', 'json'];
  const { code, stdout, stderr } = await programs.run('docker-compose', args);
  if (code !== 0 || stderr !== '') throw new Error(`docker-compose config: ${stderr}`);
  const text = stdout.replaceAll(folder, REPOSITORY.replace(/\/$/, ''));
  const { services, volumes } = project.parse(JSON.parse(text));

  function serviceOf(name: string): Service {
    const found = services[name];
    if (found === undefined) throw new Error(`no service ${name}`);
    return found;
  }

  return {
    services,
    volumes: Object.keys(volumes),
    service: serviceOf,
    mounted(name, target) {
      const found = serviceOf(name).volumes?.find((volume) => volume.target === target);
      if (found === undefined) throw new Error(`nothing is mounted on ${target}`);
      return found.source;
    },
  };
}
